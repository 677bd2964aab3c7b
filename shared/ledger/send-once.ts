import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { UpdateCommand, UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';

/** The store's answer did not come: what it was asked for may have happened, or not. */
class AnswerLostError extends Error {}

/**
 * Sends an update that must not happen twice. The client repeats only what the store itself refused,
 * as it does with a throttle; a lost answer ends in an error.
 */
export function sendOnce(update: UpdateCommand): Promise<UpdateCommandOutput> {
  update.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (error instanceof DynamoDBServiceException && error.$fault === 'client') throw error;
        throw new AnswerLostError(String(error));
      }
    },
    // Within the client's own repeating, which finds nothing to repeat in this error. The document
    // client adds what it finds here twice.
    { step: 'finalizeRequest', priority: 'low', name: 'sendOnce', override: true },
  );
  return dynamodb.send(update);
}

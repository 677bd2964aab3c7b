import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { UpdateCommand, UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';

/** DynamoDB's response was lost, and the update may have happened. The SDK doesn't retry this error. */
class ResponseLostError extends Error {}

/**
 * Sends an update that must not happen twice. The SDK retries only what DynamoDB itself refused, such as a
 * throttled request. If the response is lost, this throws, and the update may have happened or not.
 *
 * @see https://aws.amazon.com/blogs/developer/middleware-stack-modular-aws-sdk-js/
 */
export function sendOnce(
  update: UpdateCommand,
  abortSignal?: AbortSignal,
): Promise<UpdateCommandOutput> {
  update.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (error instanceof DynamoDBServiceException && error.$fault === 'client') throw error;
        throw new ResponseLostError(String(error));
      }
    },
    // A low priority puts it inside the SDK's retry middleware. The document client adds the command's
    // middleware twice, hence `override`.
    { step: 'finalizeRequest', priority: 'low', name: 'sendOnce', override: true },
  );
  return dynamodb.send(update, abortSignal && { abortSignal });
}

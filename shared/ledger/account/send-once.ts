import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { UpdateCommand, UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../aws/dynamodb.ts';
import { isThrottled } from '../../aws/outage.ts';

/** DynamoDB's response was lost, and the update may have happened. The SDK doesn't retry this error. */
class ResponseLostError extends Error {}

/**
 * Sends an update that must not happen twice: only what DynamoDB refused is retried. It throws if the answer is lost,
 * and then the update may have happened.
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

/** DynamoDB throttled a request, which the SDK doesn't retry as this error. */
class ThrottledError extends Error {}

/** Sends an update as the SDK does, but throws at once where DynamoDB throttles it, so that its sender may ask elsewhere. */
export async function sendUnlessThrottled(update: UpdateCommand): Promise<UpdateCommandOutput> {
  update.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isThrottled(error) ? new ThrottledError('Throttled', { cause: error }) : error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'unlessThrottled', override: true },
  );
  try {
    return await dynamodb.send(update);
  } catch (error) {
    throw error instanceof ThrottledError ? error.cause : error;
  }
}

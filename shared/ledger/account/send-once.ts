import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { UpdateCommand, UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../aws/dynamodb.ts';
import { isThrottled } from '../../aws/outage.ts';

/** DynamoDB's response was lost, and the update may have happened. The SDK doesn't retry this error. */
class ResponseLostError extends Error {}

/**
 * Sends an update that must not happen twice: only what DynamoDB refused is retried. It throws if the answer is lost,
 * and then the update may have happened.
 */
export function sendOnce(
  update: UpdateCommand,
  abortSignal?: AbortSignal,
): Promise<UpdateCommandOutput> {
  tellingRetries(update, (error) => {
    const isRefusal = error instanceof DynamoDBServiceException && error.$fault === 'client';
    return isRefusal ? error : new ResponseLostError(String(error));
  });
  return dynamodb.send(update, abortSignal && { abortSignal });
}

/** DynamoDB throttled a request, which the SDK doesn't retry as this error. */
class ThrottledError extends Error {}

/** Sends an update as the SDK does, but throws at once where DynamoDB throttles it, so that its sender may ask elsewhere. */
export async function sendUnlessThrottled(update: UpdateCommand): Promise<UpdateCommandOutput> {
  tellingRetries(update, (error) =>
    isThrottled(error) ? new ThrottledError('Throttled', { cause: error }) : error,
  );
  try {
    return await dynamodb.send(update);
  } catch (error) {
    throw error instanceof ThrottledError ? error.cause : error;
  }
}

/**
 * Has the SDK's retries see other errors of an update than DynamoDB's: they repeat none that they don't know.
 * @see https://aws.amazon.com/blogs/developer/middleware-stack-modular-aws-sdk-js/
 */
function tellingRetries(update: UpdateCommand, told: (error: unknown) => unknown): void {
  update.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw told(error);
      }
    },
    // A low priority puts it inside the SDK's retry middleware. The document client adds the command's
    // middleware twice, hence `override`.
    { step: 'finalizeRequest', priority: 'low', name: 'tellingRetries', override: true },
  );
}

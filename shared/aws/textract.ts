import { TextractClient } from '@aws-sdk/client-textract';

/**
 * The one Textract client of a function. It makes one attempt, because its caller decides which errors are
 * worth another. A page may wait minutes for a slow engine.
 */
export const textract = new TextractClient({
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: 5_000,
    requestTimeout: 180_000,
    throwOnRequestTimeout: true,
  },
});

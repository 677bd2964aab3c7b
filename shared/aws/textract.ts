import { TextractClient } from '@aws-sdk/client-textract';
import { timeouts } from './timeouts.ts';

/**
 * The one Textract client of a function. It makes one attempt, because its caller decides which errors are
 * worth another. A page that is full may take it many seconds.
 */
export const textract = new TextractClient({ maxAttempts: 1, ...timeouts({ responseMs: 60_000 }) });

import { TextractClient } from '@aws-sdk/client-textract';
import { timeouts } from './timeouts.ts';

/** The one Textract client of a function. It tries once: its caller decides which errors are worth another try. */
export const textract = new TextractClient({ maxAttempts: 1, ...timeouts({ responseMs: 60_000 }) });

import { invokeFunction } from '../../aws/lambda.ts';
import { setting } from '../../config.ts';
import { ServiceError } from '../../http/errors.ts';
import type { AttachedFile, AttachedReading } from './attached-file.ts';

/** Longer than `read-document` runs, and than a new one takes to start. */
const timeLimitMs = 75_000;

/**
 * Asks the function `read-document` what a file says. Throws a 503 `ServiceError` without an answer, and `signal`'s
 * reason.
 */
export async function askToRead(file: AttachedFile, signal: AbortSignal): Promise<AttachedReading> {
  try {
    return await invokeFunction(setting('READ_DOCUMENT_FUNCTION'), file, timeLimitMs, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new ServiceError(
      503,
      'document_reader_unavailable',
      "A document can't be read now. Try again later, or send its text.",
      { cause: error },
    );
  }
}

import { invokeFunction } from '../aws/lambda.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';
import type { DriveAnswers, DriveQuestion } from './drive-documents.ts';

/** Longer than `search-drive` runs, and than a new one takes to start. */
const timeLimitMs = 40_000;

/** Asks the function `search-drive` about a key's folders. Throws a 503 `ServiceError`, and the reason of `signal`. */
export async function askDrive<Question extends DriveQuestion>(
  question: Question,
  signal: AbortSignal,
): Promise<DriveAnswers[Question['ask']]> {
  try {
    return await invokeFunction(setting('SEARCH_DRIVE_FUNCTION'), question, timeLimitMs, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new ServiceError(
      503,
      'connector_unavailable',
      "This key's Drive folders can't be searched now. Try again later.",
      { cause: error },
    );
  }
}

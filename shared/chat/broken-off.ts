import OpenAI from 'openai';
import { ServiceError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import { brokeOff, toModelError, unavailable } from '../models/errors.ts';

/**
 * Returns the error that ends a stream: what a provider's connection threw is the model's, anything else a logged
 * fault of ours.
 */
export function brokenOff(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isAborted(error) || toModelError(error) !== error) {
    log('warn', 'upstream stream broke', errorFields(error));
    return unavailable(brokeOff, error);
  }
  log('error', 'answer broke off', errorFields(error));
  return new ServiceError(500, 'internal_error', 'Something went wrong on our side.');
}

/** Whether this was thrown because the call's time was up. */
const isAborted = (error: unknown) =>
  error instanceof OpenAI.APIUserAbortError ||
  (error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name));

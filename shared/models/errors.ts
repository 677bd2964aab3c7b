import OpenAI from 'openai';
import { ServiceError } from '../http/errors.ts';

/** A model call that failed; `retryAfterMs` is the provider's own advice. */
export class ModelError extends ServiceError {
  readonly retryAfterMs: number | undefined;

  constructor(
    statusCode: number,
    code: string,
    message: string,
    { retryAfterMs, ...options }: ErrorOptions & { retryAfterMs?: number | undefined } = {},
  ) {
    super(statusCode, code, message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Says what a failed call means for the caller; what is not the provider's answer passes unchanged. */
export function toModelError(error: unknown): unknown {
  if (error instanceof OpenAI.APIUserAbortError) return error;
  if (error instanceof OpenAI.APIConnectionTimeoutError) {
    return unavailable('The model did not answer in time.', error);
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return unavailable('The connection to the model broke.', error);
  }
  if (error instanceof OpenAI.APIError) return fromStatus(error);
  if (error instanceof SyntaxError) return unavailable('The model answered broken JSON.', error);
  if (isBrokenBody(error)) return unavailable('The connection to the model broke.', error);
  return error;
}

/** What fetch throws for a body that breaks off; a mistake in code has no cause. */
function isBrokenBody(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause instanceof Error;
}

function fromStatus(error: InstanceType<typeof OpenAI.APIError>): ModelError {
  const { status } = error;
  const message = providerMessage(error);
  if (isContextLengthExceeded(error)) {
    return new ModelError(400, 'context_length_exceeded', message, { cause: error });
  }
  if (status === 429) {
    return new ModelError(429, 'rate_limit_exceeded', message, {
      cause: error,
      retryAfterMs: retryAfterMs(error.headers),
    });
  }
  if (status === 404) return new ModelError(404, 'model_not_found', message, { cause: error });
  if (status === 400 || status === 413 || status === 422) {
    return new ModelError(400, 'invalid_request_error', message, { cause: error });
  }
  if (status === 401 || status === 403) {
    return unavailable('The model provider refused our credentials.', error);
  }
  return unavailable(message, error);
}

function unavailable(message: string, cause: Error): ModelError {
  const headers = cause instanceof OpenAI.APIError ? cause.headers : undefined;
  return new ModelError(503, 'model_unavailable', message, {
    cause,
    retryAfterMs: retryAfterMs(headers),
  });
}

function providerMessage({ error, message, status }: InstanceType<typeof OpenAI.APIError>): string {
  const said = (error as { message?: unknown } | undefined)?.message;
  if (typeof said === 'string' && said) return said;
  return status ? `The model provider answered ${status}.` : message;
}

function isContextLengthExceeded(error: InstanceType<typeof OpenAI.APIError>): boolean {
  if (error.code === 'context_length_exceeded') return true;
  return (
    (error.status === 400 || error.status === 413) &&
    /context (length|window)|maximum context|too many (input )?tokens|prompt is too long/i.test(
      providerMessage(error),
    )
  );
}

function retryAfterMs(headers: Headers | undefined): number | undefined {
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

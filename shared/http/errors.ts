import { truncated } from '../truncated.ts';

/**
 * One thing that is wrong with a request, in pydantic's shape: `loc` is the path to it, such as
 * `['body', 'priority']`.
 * @see https://docs.pydantic.dev/latest/errors/validation_errors/
 */
export interface FieldError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** A request is mended by its first faults. Millions of them would take seconds to find, and gigabytes. */
export const maxFieldErrors = 20;

/** What an error carries beside its message. */
export interface ServiceErrorOptions extends ErrorOptions {
  /** When trying again may help; null if it never will; absent if that isn't known. */
  retryAfterSeconds?: number | null | undefined;
  /** The field of a chat-completions request that is to blame. */
  param?: string | undefined;
  /** Figures for the caller, put into the error's body as they are. */
  details?: Record<string, unknown> | undefined;
}

/** An error that a caller may see: its message is written for callers. */
export class ServiceError extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly retryAfterSeconds: number | null | undefined;
  readonly param: string | undefined;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    statusCode: number,
    code: string,
    message: string,
    { retryAfterSeconds, param, details, ...options }: ServiceErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'ServiceError';
    this.statusCode = statusCode;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.param = param;
    this.details = details;
  }
}

/** 401: the key is not known. */
export class AuthenticationError extends ServiceError {
  constructor(message: string) {
    super(401, 'invalid_api_key', message);
  }
}

/** 404: it doesn't exist, or it isn't the caller's. The two look the same to callers. */
export class NotFoundError extends ServiceError {
  constructor(message: string, code = 'not_found') {
    super(404, code, message);
  }
}

/** 409: the state of the thing doesn't allow this. */
export class ConflictError extends ServiceError {
  constructor(message: string) {
    super(409, 'conflict', message);
  }
}

/** 503: something that the service stands on throttles or fails for now. Nothing is under way for the request. */
export class UnavailableError extends ServiceError {
  constructor(cause: unknown) {
    const message = 'The service is unavailable for a moment. Try again shortly.';
    super(503, 'service_unavailable', message, { cause, retryAfterSeconds: 2 });
  }
}

/** 422: the request breaks one or more constraints, and `fields` names the first of them. */
export class UnprocessableEntityError extends ServiceError {
  readonly fields: readonly FieldError[];

  constructor(faults: readonly FieldError[]) {
    const fields = faults.slice(0, maxFieldErrors).map(withShortNames);
    super(
      422,
      'validation_error',
      fields.map(({ loc, msg }) => `${loc.join('.')}: ${plainly(msg)}`).join('; '),
    );
    this.fields = fields;
  }
}

/** Returns a field error in words, for clients that don't read pydantic's list. */
export const plainly = (msg: string) => msg.replace(/^Value error, /, '');

/** Callers choose some of the names in a location, and could make a response of megabytes by one. */
const withShortNames = ({ loc, ...fault }: FieldError): FieldError => ({
  loc: loc.map((name) => (typeof name === 'string' ? truncated(name, 100) : name)),
  ...fault,
});

/** A 422 for a rule that spans fields, as pydantic reports a `ValueError`. */
export function valueError(loc: FieldError['loc'], reason: string): UnprocessableEntityError {
  return new UnprocessableEntityError([
    { loc, msg: `Value error, ${reason}`, type: 'value_error' },
  ]);
}

/** One thing wrong with a request, in pydantic's words. */
export interface FieldError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** An error that a caller may see: its message is written for them. */
export class ServiceError extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceError';
    this.statusCode = statusCode;
    this.code = code;
  }
}

/** 404: it doesn't exist, or isn't the caller's; which of the two is never said. */
export class NotFoundError extends ServiceError {
  constructor(message: string) {
    super(404, 'not_found', message);
  }
}

/** 409: the thing is not in a state that allows this. */
export class ConflictError extends ServiceError {
  constructor(message: string) {
    super(409, 'conflict', message);
  }
}

/** 422: the request breaks one or more constraints, each named. */
export class UnprocessableEntityError extends ServiceError {
  readonly fields: readonly FieldError[];

  constructor(fields: readonly FieldError[]) {
    super(
      422,
      'validation_error',
      fields.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '),
    );
    this.fields = fields;
  }
}

/** A 422 for a rule that spans fields, as pydantic reports a `ValueError`. */
export function valueError(loc: FieldError['loc'], reason: string): UnprocessableEntityError {
  return new UnprocessableEntityError([
    { loc, msg: `Value error, ${reason}`, type: 'value_error' },
  ]);
}

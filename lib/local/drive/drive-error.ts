/** What Google adds to an error: the part of the request that is wrong, or the domain of the error's reason. */
interface ErrorDetails {
  domain?: string;
  location?: string;
  locationType?: string;
}

/** An error as Drive answers it. @see https://developers.google.com/workspace/drive/api/guides/handle-errors */
export class DriveError extends Error {
  override readonly name = 'DriveError';
  readonly statusCode: number;
  readonly reason: string;
  readonly details: ErrorDetails;

  constructor(statusCode: number, reason: string, message: string, details: ErrorDetails = {}) {
    super(message);
    this.statusCode = statusCode;
    this.reason = reason;
    this.details = details;
  }

  get body() {
    const { statusCode: code, message, reason, details } = this;
    return {
      error: { code, message, errors: [{ message, domain: 'global', reason, ...details }] },
    };
  }
}

/** Makes an error about a parameter of the request; by default the 400 for one that can't be read. */
export const invalidParameter = (
  location: string,
  message = 'Invalid Value',
  reason = 'invalid',
  statusCode = 400,
): DriveError =>
  new DriveError(statusCode, reason, message, { location, locationType: 'parameter' });

export const fileNotFound = (id: string) =>
  invalidParameter('fileId', `File not found: ${id}.`, 'notFound', 404);

export const badRequest = (message: string) => new DriveError(400, 'badRequest', message);

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

export const fileNotFound = (id: string) =>
  new DriveError(404, 'notFound', `File not found: ${id}.`, {
    location: 'fileId',
    locationType: 'parameter',
  });

/** Makes the 400 for a parameter of the request that can't be read. */
export const invalidParameter = (
  location: string,
  message = 'Invalid Value',
  reason = 'invalid',
): DriveError => new DriveError(400, reason, message, { location, locationType: 'parameter' });

export const badRequest = (message: string) => new DriveError(400, 'badRequest', message);

import { NotFoundError, ServiceError } from '../http/errors.ts';

/** What Google Drive doesn't do for us now (503: try again) or ever (4xx). */
export class DriveError extends ServiceError {}

/** 404 for whatever a key may not read, in the same words whether or not it exists. */
export function fileNotFound(cause?: unknown): NotFoundError {
  const error = new NotFoundError(
    "No such file or folder under this key's Drive folders.",
    'drive_file_not_found',
  );
  if (cause) error.cause = cause;
  return error;
}

/** Drive tells apart what isn't there and what isn't shared with us; our callers may not. */
export const isHidden = (error: unknown) =>
  error instanceof NotFoundError || (error instanceof DriveError && error.statusCode === 403);

/** 503: Drive can't be asked now, or not until an operator has set it up. */
export function unavailable(
  message: string,
  cause?: unknown,
  retryAfterSeconds?: number,
): DriveError {
  return new DriveError(503, 'drive_unavailable', message, { cause, retryAfterSeconds });
}

/** A 4xx that no retry cures. */
export function refused(
  statusCode: 400 | 403 | 409 | 413 | 422,
  code: string,
  message: string,
  cause?: unknown,
): DriveError {
  return new DriveError(statusCode, code, message, { cause, retryAfterSeconds: null });
}

/** 422: a kind of file that has no content to read. */
export function unsupportedType(mimeType: string): DriveError {
  return refused(422, 'unsupported_file_type', `Files of type ${mimeType} can't be read.`);
}

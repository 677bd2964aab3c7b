import { NotFoundError, ServiceError } from '../http/errors.ts';
import type { RequestFailure } from './request-failure.ts';

/** A request that Google Drive refused: 503 if it may succeed later, 4xx if it never will. */
export class DriveError extends ServiceError {}

/** 404 for items that a key may not read. The message is the same if they don't exist. */
export function fileNotFound(cause?: unknown): NotFoundError {
  const error = new NotFoundError(
    "No such file or folder under this key's Drive folders.",
    'drive_file_not_found',
  );
  if (cause) error.cause = cause;
  return error;
}

/** Whether Drive said that something doesn't exist, or isn't shared with us. Callers may not know which. */
export const isHidden = (error: unknown) =>
  error instanceof NotFoundError || (error instanceof DriveError && error.statusCode === 403);

/** Returns the result, or undefined if Drive hides it. */
export async function unlessHidden<Found>(finding: Promise<Found>): Promise<Found | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (isHidden(error)) return undefined;
    throw error;
  }
}

/** 503: Drive can't serve a request now, or not before an operator has set it up. */
export function unavailable(
  message: string,
  cause?: unknown,
  retryAfterSeconds?: number,
): DriveError {
  return new DriveError(503, 'drive_unavailable', message, { cause, retryAfterSeconds });
}

/** A 4xx: the same request will fail again. */
export function refused(
  statusCode: 400 | 403 | 409 | 413 | 422,
  code: string,
  message: string,
  cause?: unknown,
): DriveError {
  return new DriveError(statusCode, code, message, { cause, retryAfterSeconds: null });
}

/**
 * Translates a failed request into an error for the caller. `account` is the address that folders must be shared with.
 * @see https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export function toDriveError(failure: RequestFailure, account: string): Error {
  const { status, reason, retryAfterMs } = failure;
  const cause = new Error(`Google answered ${[status ?? 'nothing', reason].join(' ').trim()}`);
  if (failure.isUnauthorized) {
    return unavailable(
      `Google refused the key of ${account}: put a fresh JSON key of the service account into the Drive secret.`,
      cause,
    );
  }
  if (failure.isTransient) {
    const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
    return unavailable('Google Drive does not answer now.', cause, seconds);
  }
  if (status === 404 || status === 410) return fileNotFound(cause);
  if (status === 403) return forbidden(reason ?? 'forbidden', account, cause);
  if (status === 409) {
    return refused(409, 'drive_conflict', 'The file is there already.', cause);
  }
  return refused(
    400,
    'drive_refused',
    `Google Drive refused the request (${reason ?? status}).`,
    cause,
  );
}

function forbidden(reason: string, account: string, cause: Error): DriveError {
  const errorOf = Object.hasOwn(errorsFor403, reason) ? errorsFor403[reason] : undefined;
  if (errorOf) return errorOf(account, cause);
  const advice = permissionReasons.includes(reason)
    ? `: share the folder with ${account} as editor.`
    : '.';
  return refused(403, 'drive_forbidden', `Google Drive refused access (${reason})${advice}`, cause);
}

const permissionReasons = ['forbidden', 'insufficientFilePermissions', 'appNotAuthorizedToFile'];

/** The errors for the reasons that Drive gives with a 403, beside missing permissions. */
const errorsFor403: Record<string, (account: string, cause: Error) => DriveError> = {
  storageQuotaExceeded: (account, cause) =>
    refused(
      403,
      'drive_quota_exceeded',
      `${account} has no storage left, and a service account owns none: results need a shared drive, or a folder whose owner it acts for by delegation (subject in the Drive secret).`,
      cause,
    ),
  exportSizeLimitExceeded: (_account, cause) =>
    refused(413, 'file_too_large', 'Google exports documents of up to 10 MB.', cause),
  fileNotDownloadable: (_account, cause) =>
    refused(422, 'unsupported_file_type', 'This kind of file has no content to read.', cause),
  dailyLimitExceeded: (_account, cause) => unavailable("Today's quota of Drive is used up.", cause),
  downloadQuotaExceeded: (_account, cause) =>
    unavailable('Drive gives the file to nobody until tomorrow: too many have read it.', cause),
  accessNotConfigured: (account, cause) =>
    unavailable(`Enable the Google Drive API in the project of ${account}.`, cause),
  insufficientPermissions: (account, cause) =>
    unavailable(`${account} was not granted the scope of Google Drive.`, cause),
};

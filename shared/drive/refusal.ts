import { type DriveError, fileNotFound, refused, unavailable } from './errors.ts';
import type { Fault } from './fault.ts';

/** Says what a fault means for whoever needed the request; `account` is the address to share with. */
export function toDriveError(fault: Fault, account: string): Error {
  const { status, reason, retryAfterMs } = fault;
  const cause = new Error(`Google answered ${[status ?? 'nothing', reason].join(' ').trim()}`);
  if (fault.isUnauthorized) {
    return unavailable(
      `Google refused the key of ${account}: put a fresh JSON key of the service account into the Drive secret.`,
      cause,
    );
  }
  if (fault.isPassing) {
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
  const say = Object.hasOwn(words403, reason) ? words403[reason] : undefined;
  if (say) return say(account, cause);
  const advice = permissionReasons.includes(reason)
    ? `: share the folder with ${account} as editor.`
    : '.';
  return refused(403, 'drive_forbidden', `Google Drive refused access (${reason})${advice}`, cause);
}

const permissionReasons = ['forbidden', 'insufficientFilePermissions', 'appNotAuthorizedToFile'];

const words403: Record<string, (account: string, cause: Error) => DriveError> = {
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

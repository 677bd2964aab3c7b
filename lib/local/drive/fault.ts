import { DriveError } from './drive-error.ts';

/** Something that goes wrong, as often as told, with the requests it matches. */
export interface Fault {
  /** A method, and a part of the URL; without one, every request. */
  match?: { method?: string; path?: string };
  /** Once, if not told. */
  times?: number;
  /** Answers this error instead of doing the work. */
  status?: number;
  reason?: string;
  message?: string;
  headers?: Record<string, string>;
  /** Breaks the connection after so many bytes of an upload or, with all else, of the answer. */
  cutAfterBytes?: number;
  /** Does the work, and then answers the error or, without one, breaks the connection. */
  afterDone?: boolean;
}

const usageLimits = { domain: 'usageLimits' };

const errors: Record<string, [status: number, message: string, place?: { domain: string }]> = {
  userRateLimitExceeded: [403, 'User Rate Limit Exceeded', usageLimits],
  rateLimitExceeded: [403, 'Rate Limit Exceeded', usageLimits],
  dailyLimitExceeded: [403, 'Daily Limit Exceeded', usageLimits],
  storageQuotaExceeded: [403, "The user's Drive storage quota has been exceeded."],
  insufficientFilePermissions: [
    403,
    'The user does not have sufficient permissions for this file.',
  ],
  appNotAuthorizedToFile: [403, 'The user has not granted the app access to the file.'],
  backendError: [500, 'Backend Error'],
  internalError: [500, 'Internal Error'],
};

const reasons: Record<number, string> = {
  401: 'authError',
  403: 'userRateLimitExceeded',
  404: 'notFound',
  429: 'rateLimitExceeded',
};

/** What a fault answers; the reason says the status, the message and the domain, where they aren't told. */
export function errorOf({ status, reason, message }: Fault): DriveError {
  const told = reason ?? reasons[status ?? 500] ?? 'backendError';
  const [usual, words, place] = errors[told] ?? [400, told];
  return new DriveError(status ?? usual, told, message ?? words, place);
}

/** Whether it answers an error, at once or once the work is done. */
export const answersError = ({ status, reason }: Fault) => Boolean(status || reason);

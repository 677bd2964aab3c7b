import { DriveError } from './drive-error.ts';

/** A fault of Drive's on demand, and the requests it strikes. */
export interface Fault {
  /** The method, and a part of the URL, of the requests it strikes; by default it strikes any. */
  match?: { method?: string; path?: string };
  /** How many requests it strikes; by default one. */
  times?: number;
  /** The error that is answered instead of doing the work. */
  status?: number;
  reason?: string;
  message?: string;
  headers?: Record<string, string>;
  /** Breaks the connection after so many bytes: of the body if the request uploads, else of the response. */
  cutAfterBytes?: number;
  /** Does the work first, and then answers the error or, without one, breaks the connection. */
  afterDone?: boolean;
}

const usageLimits = { domain: 'usageLimits' };

const errors: Record<string, [status: number, message: string, details?: { domain: string }]> = {
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

/** Returns a fault's error. The status and the message that the fault doesn't give follow from its reason. */
export function errorOf({ status, reason, message }: Fault): DriveError {
  const code = reason ?? reasons[status ?? 500] ?? 'backendError';
  const [usualStatus, usualMessage, details] = errors[code] ?? [400, code];
  return new DriveError(status ?? usualStatus, code, message ?? usualMessage, details);
}

/** Whether a fault answers an error, at once or after the work is done. */
export const answersError = ({ status, reason }: Fault) => Boolean(status || reason);

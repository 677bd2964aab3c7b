import { completionError, detailError, type ErrorFormat, responseError } from './error-response.ts';
import { messagesError } from './messages-error.ts';

/** Returns the shape in which clients of a route read errors, by the route's path. */
export function errorFormatOf(resource: string): ErrorFormat {
  if (/^\/v1\/messages(\/|$)/.test(resource)) return messagesError;
  if (/^\/v1\/responses(\/|$)/.test(resource)) return responseError;
  return resource.startsWith('/v1/') ? completionError : detailError;
}

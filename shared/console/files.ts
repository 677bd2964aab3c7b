import built from '#console';
import { NotFoundError } from '../http/errors.ts';
import type { TextResponse } from '../http/response.ts';
import { page } from './page.ts';

/** The page runs no script but its own file, and speaks to no host but the service's. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Returns the page. `path` is the one that it was asked for by. */
export const consolePage = (path: string): TextResponse =>
  text('text/html', page(path, built), 'no-cache');

/** Returns a file of the page. Throws `NotFoundError` for any other name. */
export function consoleFile(name: string): TextResponse {
  const file = Object.hasOwn(built.files, name) ? built.files[name] : undefined;
  if (!file) throw new NotFoundError('There is no such file.');
  return text(file.type, file.content, 'public, max-age=31536000, immutable');
}

const text = (type: string, body: string, cacheControl: string): TextResponse => ({
  statusCode: 200,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': cacheControl,
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body,
});

import { gunzipSync } from 'node:zlib';
import built from '#console';
import { NotFoundError } from '../http/errors.ts';
import type { FileResponse } from '../http/file-endpoint.ts';
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
export function consolePage(path: string): FileResponse {
  return {
    statusCode: 200,
    headers: { ...headers('text/html'), 'cache-control': 'no-cache' },
    body: Buffer.from(page(path, built)),
  };
}

/**
 * Returns a file of the page, compressed if the client takes that. The gateway compresses no streamed response.
 * Throws `NotFoundError` for any other name.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
export function consoleFile(name: string, acceptEncoding = ''): FileResponse {
  const file = Object.hasOwn(built.files, name) ? built.files[name] : undefined;
  if (!file) throw new NotFoundError('There is no such file.');
  const gzip = Buffer.from(file.gzip, 'base64');
  const isTaken = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(acceptEncoding);
  return {
    statusCode: 200,
    headers: {
      ...headers(file.type),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(isTaken && { 'content-encoding': 'gzip' }),
    },
    body: isTaken ? gzip : gunzipSync(gzip),
  };
}

const headers = (type: string) => ({
  'content-type': `${type}; charset=utf-8`,
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

import type { TextResponse } from './response.ts';

/** A page loads nothing from other hosts, and runs no script but its own files. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Answers with a page of the service or one of its files. `policy` is what that page adds, such as its pictures' places. */
export const staticText = (
  type: string,
  body: string,
  cacheControl: string,
  policy: readonly string[],
): TextResponse => ({
  statusCode: 200,
  headers: {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': cacheControl,
    'content-security-policy': [...contentSecurityPolicy, ...policy].join('; '),
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body,
});

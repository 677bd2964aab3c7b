import built from '#console';
import { NotFoundError } from '../http/errors.ts';
import type { TextResponse } from '../http/response.ts';
import type { BuiltConsole } from './built.ts';

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

/** A white Q on the colour of the page's buttons. */
const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0172ad"/><circle cx="16" cy="15" r="8" fill="none" stroke="#fff" stroke-width="3.5"/><path d="M18 18l6 7" stroke="#fff" stroke-width="3.5"/></svg>',
  );

/**
 * Writes the console's page. Its links are relative, as a stage's URL has a path of its own; `/console` and
 * `/console/` are the same route, but a relative link leads elsewhere from each.
 */
function page(path: string, { script, styles, notices }: BuiltConsole): string {
  const root = path.endsWith('/') ? '../' : './';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Quire</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${root}console/${styles}">
<script type="module" src="${root}console/${script}"></script>
</head>
<body data-root="${root}" data-notices="${root}console/${notices}">
<noscript><main>The console needs JavaScript. <a href="${root}docs">The reference</a> tells how to use the service without it.</main></noscript>
</body>
</html>
`;
}

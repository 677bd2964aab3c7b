import built from '#console';
import { NotFoundError } from '../http/errors.ts';
import type { TextResponse } from '../http/response.ts';
import { staticText } from '../http/static-text.ts';
import type { BuiltConsole } from './built.ts';

const policy = [
  "img-src 'self' data: blob:",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/** Returns the page. `path` is the one that it was asked for by. */
export const consolePage = (path: string): TextResponse =>
  staticText('text/html', page(path, built), 'no-cache', policy);

/** Returns a file of the page. Throws `NotFoundError` for any other name. */
export function consoleFile(name: string): TextResponse {
  const file = Object.hasOwn(built.files, name) ? built.files[name] : undefined;
  if (!file) throw new NotFoundError('There is no such file.');
  return staticText(file.type, file.content, 'public, max-age=31536000, immutable', policy);
}

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

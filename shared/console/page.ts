import type { BuiltConsole } from './built.ts';

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
export function page(path: string, { script, styles, notices }: BuiltConsole): string {
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

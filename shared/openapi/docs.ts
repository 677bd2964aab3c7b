import license from 'swagger-ui-dist/LICENSE' with { type: 'text' };
import notice from 'swagger-ui-dist/NOTICE' with { type: 'text' };
import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'text' };
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'text' };
import bundleLicense from 'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt' with { type: 'text' };
import { NotFoundError } from '../http/errors.ts';
import type { TextResponse } from '../http/response.ts';
import { staticText } from '../http/static-text.ts';
import type { docsFiles } from './service.ts';

/**
 * Shows the document. `validatorUrl: null` leaves out a badge from another host, a class makes it dark. A page that
 * the console opened asks it for the API key, so that no URL carries one.
 * @see https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/
 */
const openReference = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const page = document.getElementById('reference');
const ui = SwaggerUIBundle({
  url: page.dataset.document,
  domNode: page,
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
  onComplete: () => window.opener?.postMessage('quire: which key?', location.origin),
});
window.addEventListener('message', ({ origin, source, data }) => {
  if (origin !== location.origin || source !== window.opener || !data.quireKey) return;
  ui.preauthorizeApiKey('apiKey', data.quireKey);
});
`;

const files: Record<(typeof docsFiles)[number], string> = {
  'open-reference.js': openReference,
  'swagger-ui-bundle.js': bundle,
  'swagger-ui-bundle.js.LICENSE.txt': bundleLicense,
  'swagger-ui.css': styles,
  'LICENSE.txt': license,
  'NOTICE.txt': notice,
};

/** Returns the reference page. Links are relative to a stage's path; from `/docs/` they lead elsewhere than from `/docs`. */
export function docsPage(path: string): TextResponse {
  const root = path.endsWith('/') ? '../' : './';
  return text(
    'text/html',
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Quire: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}docs/swagger-ui.css">
</head>
<body>
<main id="reference" data-document="${root}openapi.json"></main>
<noscript>The reference needs JavaScript. <a href="${root}openapi.json">The document itself</a> does not.</noscript>
<script src="${root}docs/swagger-ui-bundle.js"></script>
<script src="${root}docs/open-reference.js"></script>
</body>
</html>
`,
    300,
  );
}

/** Returns a file of the page. Throws NotFoundError for any other name. */
export function docsFile(name: string): TextResponse {
  if (!isFile(name)) throw new NotFoundError('There is no such file.');
  const type = name.endsWith('.js') ? 'javascript' : name.endsWith('.css') ? 'css' : 'plain';
  return text(`text/${type}`, files[name], 3600);
}

const isFile = (name: string): name is keyof typeof files => Object.hasOwn(files, name);

const text = (type: string, body: string, maxAgeSeconds: number) =>
  staticText(type, body, `public, max-age=${maxAgeSeconds}`, ["img-src 'self' data:"]);

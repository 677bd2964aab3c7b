import * as v from 'valibot';

/** The files that the reference page is made of. */
export const docsFiles = [
  'open-reference.js',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE.txt',
  'NOTICE.txt',
] as const;

/** The path of `GET /docs/{file}`. */
export const DocsPath = v.object({ file: v.picklist(docsFiles) });

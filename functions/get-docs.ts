import { openEndpoint } from '../shared/http/json-endpoint.ts';
import { docsFile, docsPage } from '../shared/openapi/docs.ts';

/** GET /docs and GET /docs/{file} */
export const handler = openEndpoint(async ({ pathParameters, requestContext }) =>
  pathParameters?.['file'] === undefined
    ? docsPage(requestContext.path)
    : docsFile(pathParameters['file']),
);

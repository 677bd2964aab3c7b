import { compressed, compressedAlways } from '../shared/http/compressed.ts';
import { openStreamEndpoint } from '../shared/http/stream-endpoint.ts';
import { docsFile, docsPage } from '../shared/openapi/docs.ts';

/** GET /docs and GET /docs/{file} */
export const handler = openStreamEndpoint(async (event) => {
  const { pathParameters, requestContext } = event;
  const file = pathParameters?.['file'];
  return file === undefined
    ? compressed(event, docsPage(requestContext.path))
    : compressedAlways(event, docsFile(file));
});

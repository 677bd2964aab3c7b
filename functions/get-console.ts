import { consoleFile, consolePage } from '../shared/console/files.ts';
import { compressed, compressedAlways } from '../shared/http/compressed.ts';
import { openStreamEndpoint } from '../shared/http/stream-endpoint.ts';

/** GET /console and GET /console/{file} */
export const handler = openStreamEndpoint(async (event) => {
  const { pathParameters, requestContext } = event;
  const file = pathParameters?.['file'];
  return file === undefined
    ? compressed(event, consolePage(requestContext.path))
    : compressedAlways(event, consoleFile(file));
});

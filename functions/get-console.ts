import { consoleFile, consolePage } from '../shared/console/files.ts';
import { compressed } from '../shared/http/compressed.ts';
import { openStreamEndpoint } from '../shared/http/stream-endpoint.ts';

/** GET /console and GET /console/{file} */
export const handler = openStreamEndpoint(async (event) => {
  const { pathParameters, requestContext } = event;
  const file = pathParameters?.['file'];
  return compressed(
    event,
    file === undefined ? consolePage(requestContext.path) : consoleFile(file),
  );
});

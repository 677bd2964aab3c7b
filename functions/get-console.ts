import { consoleFile, consolePage } from '../shared/console/files.ts';
import { fileEndpoint } from '../shared/http/file-endpoint.ts';
import { headerOf } from '../shared/http/request.ts';

/** GET /console and GET /console/{file} */
export const handler = fileEndpoint((event) => {
  const { pathParameters, requestContext } = event;
  return pathParameters?.['file'] === undefined
    ? consolePage(requestContext.path)
    : consoleFile(pathParameters['file'], headerOf(event, 'accept-encoding'));
});

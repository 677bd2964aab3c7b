import { openEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { indexOf } from '../shared/openapi/service.ts';

/** GET / */
export const handler = openEndpoint(async ({ requestContext }) =>
  json(200, indexOf(requestContext.path)),
);

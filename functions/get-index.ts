import { openEndpoint } from '../shared/http/json-endpoint.ts';
import { indexOf } from '../shared/openapi/service.ts';

/** GET / */
export const handler = openEndpoint(({ requestContext }) => indexOf(requestContext.path));

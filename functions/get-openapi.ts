import { openEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { document } from '../shared/openapi/document.ts';

const answer = json(200, document, { 'cache-control': 'public, max-age=300' });

/** GET /openapi.json */
export const handler = openEndpoint(async () => answer);

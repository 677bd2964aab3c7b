import { compressed } from '../shared/http/compressed.ts';
import { json } from '../shared/http/response.ts';
import { openStreamEndpoint } from '../shared/http/stream-endpoint.ts';
import { document } from '../shared/openapi/document.ts';

const answer = json(200, document, { 'cache-control': 'public, max-age=300' });

/** GET /openapi.json */
export const handler = openStreamEndpoint(async (event) => compressed(event, answer));

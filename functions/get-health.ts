import { openEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /health */
export const handler = openEndpoint(async () => json(200, { status: 'ok', version: '1.0.0' }));

import { openEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { version } from '../shared/version.ts';

/** GET /health */
export const handler = openEndpoint(async () => json(200, { status: 'ok', version }));

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { reportLimits } from '../shared/keys/limits-report.ts';

/** GET /user/limits */
export const handler = jsonEndpoint({}, async (_request, caller) =>
  json(200, await reportLimits(caller)),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { LimitsQuery, reportLimits } from '../shared/keys/limits-report.ts';

/** GET /user/limits */
export const handler = jsonEndpoint({ query: LimitsQuery }, async ({ query }, caller) =>
  json(200, await reportLimits(caller, query.customer)),
);

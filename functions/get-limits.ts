import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { LimitsQuery, reportLimits } from '../shared/keys/limits-report.ts';

/** GET /user/limits */
export const handler = jsonEndpoint({ query: LimitsQuery }, ({ query }, caller) =>
  reportLimits(caller, query.customer),
);

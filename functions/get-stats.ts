import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { StatsQuery } from '../shared/usage/reports.ts';
import { reportStats } from '../shared/usage/stats.ts';

/** GET /user/stats */
export const handler = jsonEndpoint({ query: StatsQuery }, async ({ query }, caller) =>
  json(200, await reportStats(caller, query)),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { StatsQuery } from '../shared/usage/reports.ts';
import { reportStats } from '../shared/usage/stats.ts';

/** GET /user/stats */
export const handler = jsonEndpoint({ query: StatsQuery }, ({ query }, caller) =>
  reportStats(caller, query),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { reportBatchStats } from '../shared/usage/batch-stats.ts';
import { BatchStatsQuery } from '../shared/usage/reports.ts';

/** GET /user/batch-stats */
export const handler = jsonEndpoint({ query: BatchStatsQuery }, async ({ query }, caller) =>
  json(200, await reportBatchStats(caller, query)),
);

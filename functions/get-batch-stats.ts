import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { reportBatchStats } from '../shared/usage/batch-stats.ts';
import { BatchStatsQuery } from '../shared/usage/reports.ts';

/** GET /user/batch-stats */
export const handler = jsonEndpoint({ query: BatchStatsQuery }, ({ query }, caller) =>
  reportBatchStats(caller, query),
);

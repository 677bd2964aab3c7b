import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { BatchListQuery, listBatches } from '../shared/jobs/routes/read-batches.ts';

/** GET /v1/batches */
export const handler = jsonEndpoint({ query: BatchListQuery }, ({ query }, caller) =>
  listBatches(caller, query),
);

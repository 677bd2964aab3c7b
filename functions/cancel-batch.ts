import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { BatchPath, cancelBatch } from '../shared/jobs/routes/read-batches.ts';

/** POST /v1/batches/{batch_id}/cancel */
export const handler = jsonEndpoint({ path: BatchPath }, ({ path }, caller) =>
  cancelBatch(caller, path.batch_id),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { BatchPath, getBatch } from '../shared/jobs/routes/read-batches.ts';

/** GET /v1/batches/{batch_id} */
export const handler = jsonEndpoint({ path: BatchPath }, ({ path }, caller) =>
  getBatch(caller, path.batch_id),
);

import { completionError } from '../shared/http/error-response.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { BatchPath, getBatch } from '../shared/jobs/routes/read-batches.ts';

/** GET /v1/batches/{batch_id} */
export const handler = jsonEndpoint(
  { path: BatchPath },
  async ({ path }, caller) => json(200, await getBatch(caller, path.batch_id)),
  completionError,
);

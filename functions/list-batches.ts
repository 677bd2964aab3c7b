import { completionError } from '../shared/http/error-response.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { BatchListQuery, listBatches } from '../shared/jobs/routes/read-batches.ts';

/** GET /v1/batches */
export const handler = jsonEndpoint(
  { query: BatchListQuery },
  async ({ query }, caller) => json(200, await listBatches(caller, query)),
  completionError,
);

import { completionError } from '../shared/http/error-response.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { BatchRequest, createBatch } from '../shared/jobs/routes/create-batch.ts';
import { SubmissionHeader } from '../shared/jobs/routes/submission.ts';

/** POST /v1/batches */
export const handler = jsonEndpoint(
  { body: BatchRequest, header: SubmissionHeader },
  async ({ body, header }, caller) =>
    json(200, await createBatch(caller, body, header['idempotency-key'])),
  completionError,
);

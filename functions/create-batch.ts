import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { BatchRequest, createBatch } from '../shared/jobs/routes/create-batch.ts';
import { SubmissionHeader } from '../shared/jobs/routes/submission.ts';

/** POST /v1/batches */
export const handler = jsonEndpoint(
  { body: BatchRequest, header: SubmissionHeader },
  ({ body, header }, caller) => createBatch(caller, body, header['idempotency-key']),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { JobSubmission, SubmissionHeader } from '../shared/jobs/submission.ts';
import { submitJob } from '../shared/jobs/submit.ts';

/** POST /batch/jobs */
export const handler = jsonEndpoint(
  { body: JobSubmission, header: SubmissionHeader },
  async ({ body, header }, caller) =>
    json(202, await submitJob(caller, body, header['idempotency-key'])),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { estimateJob } from '../shared/jobs/routes/estimate.ts';
import { JobSubmission, SubmissionHeader } from '../shared/jobs/routes/submission.ts';
import { submitJob } from '../shared/jobs/routes/submit.ts';

/** POST /batch/jobs */
export const handler = jsonEndpoint(
  { body: JobSubmission, header: SubmissionHeader },
  async ({ body, header }, caller, room) =>
    body.dry_run
      ? json(200, await estimateJob(caller, body, room))
      : json(202, await submitJob(caller, body, header['idempotency-key'], room)),
);

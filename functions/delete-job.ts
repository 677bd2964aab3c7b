import { eraseFeedback } from '../shared/feedback/session-feedback.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { eraseCallersJob } from '../shared/jobs/routes/erase-job.ts';
import { JobPath } from '../shared/jobs/routes/read.ts';

/** DELETE /batch/jobs/{job_id} */
export const handler = jsonEndpoint({ path: JobPath }, async ({ path }, caller) => {
  const deleted = await eraseCallersJob(caller, path.job_id);
  await eraseFeedback(caller, path.job_id);
  return json(deleted.erased ? 200 : 202, deleted);
});

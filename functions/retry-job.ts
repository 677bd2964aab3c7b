import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { JobPath } from '../shared/jobs/routes/read.ts';
import { retryCallersJob } from '../shared/jobs/routes/retry.ts';

/** POST /batch/jobs/{job_id}/retry */
export const handler = jsonEndpoint({ path: JobPath }, async ({ path }, caller) =>
  json(202, await retryCallersJob(caller, path.job_id)),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { getJob, JobPath } from '../shared/jobs/routes/read.ts';

/** GET /batch/jobs/{job_id} */
export const handler = jsonEndpoint({ path: JobPath }, async ({ path }, caller) =>
  json(200, await getJob(caller, path.job_id)),
);

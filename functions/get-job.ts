import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { getJob, JobPath } from '../shared/jobs/routes/read.ts';

/** GET /batch/jobs/{job_id} */
export const handler = jsonEndpoint({ path: JobPath }, ({ path }, caller) =>
  getJob(caller, path.job_id),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { JobPath } from '../shared/jobs/routes/read.ts';
import { cancelJob } from '../shared/jobs/routes/stop.ts';

/** POST /batch/jobs/{job_id}/cancel */
export const handler = jsonEndpoint({ path: JobPath }, ({ path }, caller) =>
  cancelJob(caller, path.job_id),
);

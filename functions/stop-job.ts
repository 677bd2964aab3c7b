import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { JobPath } from '../shared/jobs/routes/read.ts';
import { stopCallersJob } from '../shared/jobs/routes/stop.ts';

/** POST /batch/jobs/{job_id}/stop */
export const handler = jsonEndpoint({ path: JobPath }, ({ path }, caller) =>
  stopCallersJob(caller, path.job_id),
);

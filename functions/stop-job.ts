import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { JobPath } from '../shared/jobs/routes/read.ts';
import { stopCallersJob } from '../shared/jobs/routes/stop.ts';

/** POST /batch/jobs/{job_id}/stop */
export const handler = jsonEndpoint({ path: JobPath }, async ({ path }, caller) =>
  json(200, await stopCallersJob(caller, path.job_id)),
);

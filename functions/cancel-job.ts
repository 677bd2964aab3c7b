import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { JobPath } from '../shared/jobs/routes/read.ts';
import { cancelJob } from '../shared/jobs/routes/stop.ts';

/** POST /batch/jobs/{job_id}/cancel */
export const handler = jsonEndpoint({ path: JobPath }, async ({ path }, caller) =>
  json(200, await cancelJob(caller, path.job_id)),
);

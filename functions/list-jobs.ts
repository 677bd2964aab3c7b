import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';
import { JobListQuery, listJobs } from '../shared/jobs/routes/read.ts';

/** GET /batch/jobs */
export const handler = jsonEndpoint({ query: JobListQuery }, async ({ query }, caller) =>
  json(200, await listJobs(caller, query)),
);

import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { JobListQuery, listJobs } from '../shared/jobs/routes/read.ts';

/** GET /batch/jobs */
export const handler = jsonEndpoint({ query: JobListQuery }, ({ query }, caller) =>
  listJobs(caller, query),
);

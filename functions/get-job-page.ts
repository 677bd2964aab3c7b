import { streamEndpoint } from '../shared/http/stream-endpoint.ts';
import { drawPage, PagePath } from '../shared/jobs/routes/draw-page.ts';

/** GET /batch/jobs/{job_id}/pages/{page} */
export const handler = streamEndpoint({ path: PagePath }, ({ path }, caller, invocation) =>
  drawPage(caller, path, invocation),
);

import { recordFeedback } from '../shared/feedback/feedback.ts';
import { FeedbackRequest } from '../shared/feedback/request.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** POST /feedback */
export const handler = jsonEndpoint({ body: FeedbackRequest }, async ({ body }, caller) =>
  json(200, await recordFeedback(caller, body)),
);

import { recordFeedback } from '../shared/feedback/feedback.ts';
import { FeedbackRequest } from '../shared/feedback/request.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** POST /feedback */
export const handler = jsonEndpoint({ body: FeedbackRequest }, ({ body }, caller) =>
  recordFeedback(caller, body),
);

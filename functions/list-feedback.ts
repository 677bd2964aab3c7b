import { FeedbackQuery } from '../shared/feedback/request.ts';
import { sessionFeedback } from '../shared/feedback/session-feedback.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /feedback */
export const handler = jsonEndpoint({ query: FeedbackQuery }, async ({ query }, caller) =>
  json(200, await sessionFeedback(caller, query.session_id)),
);

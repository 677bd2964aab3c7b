import { FeedbackQuery } from '../shared/feedback/request.ts';
import { sessionFeedback } from '../shared/feedback/session-feedback.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** GET /feedback */
export const handler = jsonEndpoint({ query: FeedbackQuery }, ({ query }, caller) =>
  sessionFeedback(caller, query.session_id),
);

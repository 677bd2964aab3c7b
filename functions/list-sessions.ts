import { listSessions, SessionListQuery } from '../shared/chat/session-records.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** GET /chat/sessions */
export const handler = jsonEndpoint({ query: SessionListQuery }, ({ query }, caller) =>
  listSessions(caller, query),
);

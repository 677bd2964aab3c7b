import { listSessions, SessionListQuery } from '../shared/chat/sessions.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /chat/sessions */
export const handler = jsonEndpoint({ query: SessionListQuery }, async ({ query }, caller) =>
  json(200, await listSessions(caller, query)),
);

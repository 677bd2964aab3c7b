import { getSession, SessionPath, SessionQuery } from '../shared/chat/sessions.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';
import { json } from '../shared/http/response.ts';

/** GET /chat/sessions/{session_id} */
export const handler = jsonEndpoint(
  { path: SessionPath, query: SessionQuery },
  async ({ path, query }, caller) => json(200, await getSession(caller, { ...path, ...query })),
);

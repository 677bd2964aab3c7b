import { getSession, SessionPath, SessionQuery } from '../shared/chat/session-records.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** GET /chat/sessions/{session_id} */
export const handler = jsonEndpoint(
  { path: SessionPath, query: SessionQuery },
  ({ path, query }, caller) => getSession(caller, { ...path, ...query }),
);

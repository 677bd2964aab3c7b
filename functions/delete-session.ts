import { deleteSession, SessionPath, SessionQuery } from '../shared/chat/session-records.ts';
import { eraseFeedback } from '../shared/feedback/session-feedback.ts';
import { jsonEndpoint } from '../shared/http/json-endpoint.ts';

/** DELETE /chat/sessions/{session_id} */
export const handler = jsonEndpoint(
  { path: SessionPath, query: SessionQuery },
  async ({ path, query }, caller) => {
    const ratings = await eraseFeedback(caller, path.session_id);
    const isElse = ratings > 0;
    return deleteSession(caller, { ...path, ...query }, { else: isElse });
  },
);

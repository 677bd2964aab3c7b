import { useState } from 'preact/hooks';
import type { SessionEntry, SessionRecord } from '../../../shared/chat/session-records.ts';
import { get } from '../api/call.ts';
import { useAction } from '../parts/action.ts';
import { ago } from '../parts/format.ts';
import { Quiet } from '../parts/quiet.tsx';
import { resume, turns } from './conversation.ts';

/** The conversations of the last day, to go on with. They are asked for when the list is opened. */
export function PastSessions() {
  const [sessions, setSessions] = useState<SessionEntry[]>();
  const { problem, act } = useAction();
  const list = () =>
    act(async () => {
      setSessions((await get<{ sessions: SessionEntry[] }>('/chat/sessions')).sessions);
    });
  const open = ({ session_id, user_id }: SessionEntry) =>
    act(async () => {
      const query = `user_id=${encodeURIComponent(user_id)}`;
      const path = `/chat/sessions/${encodeURIComponent(session_id)}?${query}`;
      resume(session_id, (await get<SessionRecord>(path)).messages);
      setSessions(undefined);
    });

  return (
    <div class="past">
      <Quiet
        aria-expanded={sessions !== undefined}
        onClick={() => (sessions ? setSessions(undefined) : list())}
      >
        Earlier
      </Quiet>
      {problem && (
        <small class="problem" role="alert">
          {problem.message}
        </small>
      )}
      {sessions && (
        <ul aria-label="Earlier conversations">
          {sessions.length === 0 && <li class="note">None in the last 24 hours.</li>}
          {sessions.map((session) => (
            <li key={`${session.user_id} ${session.session_id}`}>
              <Quiet
                class="small"
                disabled={turns.value.at(-1)?.state === 'running'}
                onClick={() => open(session)}
              >
                {session.session_id} <small>{ago(session.updated_at)}</small>
              </Quiet>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

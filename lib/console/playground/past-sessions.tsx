import { useState } from 'preact/hooks';
import type { SessionEntry, SessionRecord } from '../../../shared/chat/sessions.ts';
import { call } from '../api/call.ts';
import { ago } from '../parts/format.ts';
import { resume, turns } from './conversation.ts';

/** The conversations of the last day, to go on with. They are asked for when the list is opened. */
export function PastSessions() {
  const [sessions, setSessions] = useState<SessionEntry[]>();
  const [problem, setProblem] = useState<string>();
  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const list = () =>
    attempt(async () => {
      setSessions((await call<{ sessions: SessionEntry[] }>('GET', '/chat/sessions')).sessions);
    });
  const open = ({ session_id, user_id }: SessionEntry) =>
    attempt(async () => {
      const query = `user_id=${encodeURIComponent(user_id)}`;
      const path = `/chat/sessions/${encodeURIComponent(session_id)}?${query}`;
      resume(session_id, (await call<SessionRecord>('GET', path)).messages);
      setSessions(undefined);
    });

  return (
    <div class="past">
      <button
        type="button"
        class="quiet"
        aria-expanded={sessions !== undefined}
        onClick={() => (sessions ? setSessions(undefined) : list())}
      >
        Earlier
      </button>
      {problem && (
        <small class="problem" role="alert">
          {problem}
        </small>
      )}
      {sessions && (
        <ul aria-label="Earlier conversations">
          {sessions.length === 0 && <li class="note">None in the last 24 hours.</li>}
          {sessions.map((session) => (
            <li key={`${session.user_id} ${session.session_id}`}>
              <button
                type="button"
                class="quiet small"
                disabled={turns.value.at(-1)?.state === 'running'}
                onClick={() => open(session)}
              >
                {session.session_id} <small>{ago(session.updated_at)}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

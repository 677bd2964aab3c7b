import { truncated } from '../truncated.ts';
import type { HistoryEntry } from './stream-request.ts';
import { userText } from './stream-request.ts';
import type { Turn } from './turn.ts';

const maxTurns = 6;
const charactersOfTurn = 2_000;
const charactersOfMessage = 8_000;

/** Returns the end of a conversation as text for a small task: the last turns and the message, each cut short. */
export function conversationOf({ history, request }: Pick<Turn, 'history' | 'request'>): string {
  const earlier = history
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .slice(-maxTurns)
    .map(({ role, content }: HistoryEntry) => `${role}: ${truncated(content, charactersOfTurn)}`);
  return [...earlier, `user: ${truncated(userText(request), charactersOfMessage)}`].join('\n\n');
}

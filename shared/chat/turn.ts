import { v7 as uuidv7 } from 'uuid';
import type { Room } from '../http/byte-budget.ts';
import type { Caller } from '../http/caller.ts';
import { type Metadata, metadataOf } from '../ledger/terms/metadata.ts';
import { errorFields, errorWords, log } from '../log.ts';
import type { Model } from '../models/catalogue.ts';
import type { DialectName } from '../models/dialect-names.ts';
import { truncated } from '../truncated.ts';
import { brokenOff } from './broken-off.ts';
import type { ChatEvent } from './chat-event.ts';
import { keepSession, type SessionKey } from './session.ts';
import { type ChatStreamRequest, type HistoryEntry, userText } from './stream-request.ts';
import type { TurnUsage } from './turn-usage.ts';

/** One message of a conversation, and what answering it takes. */
export interface Turn {
  caller: Caller;
  request: ChatStreamRequest;
  model: Model;
  session: SessionKey;
  /** When the message came: before its session was read. */
  beganMs: number;
  /** The conversation up to the message. */
  history: HistoryEntry[];
  usage: TurnUsage;
  /** Whether it counts as a request already, so that none of its calls does. */
  isCounted: boolean;
  /** Where what it has in memory is counted. */
  room: Room;
  /** Aborts when the function's time is up, or the research's. */
  signal: AbortSignal;
}

/** An answer that was written to its end. */
export interface Written {
  text: string;
  finishReason: string;
}

/** The events of an answer, without those that every answer begins and ends with. */
export type AnswerEvents = AsyncGenerator<ChatEvent, Written>;

/** The events of a turn: its answer, `first` and then the rest, between `start` and `usage`; or an `error` where that breaks off. */
export async function* turnEvents(
  turn: Turn,
  first: IteratorResult<ChatEvent, Written>,
  rest: AnswerEvents,
): AsyncGenerator<ChatEvent> {
  const { session, model, usage } = turn;
  try {
    yield {
      type: 'start',
      session_id: session.sessionId,
      message_id: `msg_${uuidv7()}`,
      model: model.id,
    };
    if (!first.done) yield first.value;
    const { text, finishReason } = first.done ? first.value : yield* rest;
    await remember(turn, text);
    yield usage.event();
    yield { type: 'done', finish_reason: finishReason };
  } catch (error) {
    const told = brokenOff(error);
    const { code, message } = told;
    usage.note({ error: errorWords(told) });
    if (usage.costNanoUsd > 0) yield usage.event();
    yield { type: 'error', code, message };
  } finally {
    // A reader that leaves before `yield* rest` ends this generator only.
    await rest.return({ text: '', finishReason: 'stop' });
  }
}

/** Keeps the turn in its session. If that fails it is only logged, because the answer is complete without it. */
async function remember(
  { session, history, request, beganMs }: Turn,
  answer: string,
): Promise<void> {
  const turns: HistoryEntry[] = [
    ...history,
    { role: 'user', content: userText(request) },
    { role: 'assistant', content: answer },
  ];
  try {
    await keepSession(session, turns, beganMs);
  } catch (error) {
    log('error', 'session not kept', { key_id: session.keyId, ...errorFields(error) });
  }
}

/** The charge's fields for a call without a job: its use counts as a chat's, and by its dialect. */
export const chatSubject = (
  { metadata }: { metadata?: Metadata | null | undefined },
  dialect: DialectName = 'chat',
) => ({ tags: tagsOf(dialect), ...metadataOf(metadata) });

function tagsOf(dialect: DialectName): string[] {
  if (dialect === 'embeddings') return [dialect];
  return dialect === 'chat' ? ['chat'] : ['chat', `chat:${dialect}`];
}

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

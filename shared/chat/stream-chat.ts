import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../http/caller.ts';
import { valueError } from '../http/errors.ts';
import { eventStream } from '../http/event-stream.ts';
import type { Invocation, StreamedResponse } from '../http/stream-endpoint.ts';
import { callerWithSecret } from '../keys/caller-with-secret.ts';
import { mayUseModel } from '../keys/key-limits.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { errorFields, log } from '../log.ts';
import { catalogue, findModel, type Model } from '../models/catalogue.ts';
import { unavailable } from '../models/errors.ts';
import type { ChatEvent } from './chat-event.ts';
import { upstreamBody } from './completion-request.ts';
import { brokenOff } from './forward-stream.ts';
import { type MeteredCall, openMeteredCall } from './metered-call.ts';
import { drain, type Piece, readPieces } from './read-pieces.ts';
import { keepSession, type SessionKey, sessionHistory } from './session.ts';
import {
  type ChatStreamRequest,
  type HistoryEntry,
  refuseUnavailable,
  userMessage,
  userText,
} from './stream-request.ts';

/** A turn of a conversation that is being answered. */
interface Turn {
  call: MeteredCall;
  model: Model;
  session: SessionKey;
  /** The conversation up to the user's new message. It is kept together with the answer. */
  history: HistoryEntry[];
}

/**
 * Answers a chat message as server-sent events, and keeps the turn in its session. Throws
 * `AuthenticationError` for a wrong `api_key`, `UnprocessableEntityError` for a model or field that isn't
 * available, `BudgetExceededError` or `RequestsPerMinuteError`, and `ModelError`.
 */
export async function streamChat(
  request: ChatStreamRequest,
  gatewayCaller: Caller,
  { timeIsUp }: Invocation,
): Promise<StreamedResponse> {
  const caller = request.api_key !== null ? await callerWithSecret(request.api_key) : gatewayCaller;
  const model = modelFor(caller, request.model);
  refuseUnavailable(request, model);
  const session = {
    keyId: caller.keyId,
    userId: request.user_id,
    sessionId: request.session_id ?? `sess_${uuidv7()}`,
  };
  const continues = request.session_id !== null && request.chat_history === null;
  const before = continues ? await sessionHistory(session) : (request.chat_history ?? []);
  const call = await openMeteredCall({
    keyId: caller.keyId,
    model,
    body: upstreamBody(model, {
      model: model.id,
      messages: [...before, userMessage(request)],
      stream: true,
    }),
    subject: { tags: ['chat'] },
    signal: timeIsUp,
  });
  const history: HistoryEntry[] = [...before, { role: 'user', content: userText(request) }];
  return eventStream(chatEvents({ call, model, session, history }));
}

function modelFor(caller: Caller, id: string | null): Model {
  const model = findModel(id ?? catalogue.defaults.chat);
  if (!model || !mayUseModel(caller, model.id)) {
    throw valueError(['body', 'model'], 'no such model, or not one that this API key may use');
  }
  return model;
}

async function* chatEvents(turn: Turn): AsyncGenerator<ChatEvent> {
  const { call, model, session } = turn;
  const pieces = readPieces(call);
  const answer = { text: '', finishReason: 'stop' };
  try {
    yield {
      type: 'start',
      session_id: session.sessionId,
      message_id: `msg_${uuidv7()}`,
      model: model.id,
    };
    yield { type: 'status', stage: 'answering', detail: `${model.id} is answering` };
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      for (const content of readDeltas(next.value, answer)) yield { type: 'delta', content };
    }
    if (!call.meter.finished) throw unavailable('The model broke off its answer.');
    await remember(turn, answer.text);
    yield usageEvent(call);
    yield { type: 'done', finish_reason: answer.finishReason };
  } catch (error) {
    const { code, message } = brokenOff(error);
    yield { type: 'error', code, message };
  } finally {
    await drain(pieces);
    await call.end();
  }
}

/** Keeps the turn in its session. If that fails it is only logged, because the answer is complete without it. */
async function remember({ session, history }: Turn, answer: string): Promise<void> {
  try {
    await keepSession(session, [...history, { role: 'assistant', content: answer }]);
  } catch (error) {
    log('error', 'session not kept', { key_id: session.keyId, ...errorFields(error) });
  }
}

interface TextChoice {
  delta?: { content?: string | null };
  finish_reason?: string | null;
}

/** Adds the text of a piece to the answer, and returns it delta by delta. */
function readDeltas({ events }: Piece, answer: { text: string; finishReason: string }): string[] {
  const deltas: string[] = [];
  for (const { chunk } of events) {
    const { delta, finish_reason } = (chunk?.choices?.[0] ?? {}) as TextChoice;
    if (finish_reason) answer.finishReason = finish_reason;
    if (!delta?.content) continue;
    answer.text += delta.content;
    deltas.push(delta.content);
  }
  return deltas;
}

function usageEvent({ meter }: MeteredCall): ChatEvent {
  const { costNanoUsd, promptTokens, completionTokens } = meter.outcome();
  return {
    type: 'usage',
    tokens: {
      prompt: promptTokens,
      completion: completionTokens,
      total: promptTokens + completionTokens,
    },
    cost_usd: toUsd(costNanoUsd),
  };
}

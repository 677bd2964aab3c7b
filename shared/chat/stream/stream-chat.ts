import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../http/caller.ts';
import { valueError } from '../../http/errors.ts';
import { eventStream } from '../../http/event-stream.ts';
import type { Invocation, StreamedResponse } from '../../http/stream-endpoint.ts';
import { callerWithSecret } from '../../keys/caller-with-secret.ts';
import { allowedModelsOf, noSuchModel, usableModel } from '../../keys/usable-models.ts';
import { type Admission, admit } from '../../ledger/admission.ts';
import { catalogue, type Model } from '../../models/catalogue.ts';
import { modelAnswer } from '../answer.ts';
import type { ChatEvent } from '../chat-event.ts';
import { withKeysFiles } from '../own-files.ts';
import { planHold } from '../plan-hold.ts';
import { research } from '../research/research.ts';
import { sessionHistory } from '../session.ts';
import { reachOf } from '../sources/reach.ts';
import { searchedAnswer } from '../sources/searched-answer.ts';
import {
  type ChatStreamRequest,
  refuseUnseen,
  samplingOf,
  userMessage,
} from '../stream-request.ts';
import { type AnswerEvents, type Turn, turnEvents } from '../turn.ts';
import { TurnUsage } from '../turn-usage.ts';
import { documentsIn, withDocumentTexts } from './attached-documents.ts';

/**
 * Answers a chat message as server-sent events, and keeps the turn in its session. Throws `AuthenticationError`,
 * `UnprocessableEntityError`, `BudgetExceededError`, `RequestsPerMinuteError`, `ConcurrencyError` and `ModelError`.
 */
export async function streamChat(
  given: ChatStreamRequest,
  gatewayCaller: Caller,
  { timeIsUp, note, room }: Invocation,
): Promise<StreamedResponse> {
  const caller = given.api_key !== null ? await callerWithSecret(given.api_key) : gatewayCaller;
  const model = modelFor(caller, given.model);
  refuseUnseen(given, model);
  const sent = await withKeysFiles(given, caller.keyId, room);
  note({ key_id: caller.keyId, key: caller.keyName, model: model.id });
  const asked = { caller, model, room, signal: timeIsUp, usage: new TurnUsage(note) };
  const documents = documentsIn(sent);
  if (documents.length === 0) {
    return eventStream(await eventsOf({ ...asked, request: sent, isCounted: false }));
  }
  const use = { model: model.id, metadata: sent.metadata };
  const admission = await admit(caller.keyId, use, planOf(sent, model), timeIsUp);
  try {
    const request = await withDocumentTexts(sent, documents, caller.keyId, room, timeIsUp);
    const events = await eventsOf({ ...asked, request, isCounted: true });
    return eventStream(whileAdmitted(admission, events));
  } catch (error) {
    await admission.end();
    throw error;
  }
}

/** The plan of a message whose documents are not read yet: without them, it is the least that the model can be asked. */
const planOf = (request: ChatStreamRequest, model: Model) =>
  planHold(model, {
    messages: [{ role: 'user', content: request.message }],
    ...samplingOf(request),
  });

async function* whileAdmitted(admission: Admission, events: AsyncGenerator<ChatEvent>) {
  try {
    yield* events;
  } finally {
    await admission.end();
  }
}

/** Begins to answer a message, in its session. What refuses it is thrown here. */
async function eventsOf(
  asked: Omit<Turn, 'session' | 'history' | 'beganMs'>,
): Promise<AsyncGenerator<ChatEvent>> {
  const { caller, request } = asked;
  const session = {
    keyId: caller.keyId,
    userId: request.user_id,
    sessionId: request.session_id ?? `sess_${uuidv7()}`,
  };
  const beganMs = Date.now();
  const continues = request.session_id !== null && request.chat_history === null;
  const history = continues ? await sessionHistory(session) : (request.chat_history ?? []);
  const turn = { ...asked, session, history, beganMs };
  const answer = answerTo(turn);
  // Up to its first event, what refuses it is thrown before a response has begun.
  return turnEvents(turn, await answer.next(), answer);
}

const chatModelIds = catalogue.models.map(({ id }) => id);

function modelFor(caller: Caller, id: string | null): Model {
  const allowed = allowedModelsOf(caller);
  const model = usableModel(allowed, id ?? catalogue.defaults.chat);
  if (!model) throw valueError(['body', 'model'], noSuchModel(allowed, chatModelIds));
  return model;
}

function answerTo(turn: Turn): AnswerEvents {
  const { web_search, deep_research, connectors } = turn.request;
  if (deep_research) return research(turn, reachOf(turn));
  if (web_search || connectors) return searchedAnswer(turn, reachOf(turn));
  const messages = [...turn.history, userMessage(turn.request)];
  return modelAnswer(turn, { messages, ...samplingOf(turn.request) });
}

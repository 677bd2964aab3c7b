import { heartbeatMs, within } from '../http/event-stream.ts';
import { allowedModelsOf } from '../keys/usable-models.ts';
import type { Hold } from '../ledger/reserve.ts';
import type { Model } from '../models/catalogue.ts';
import { brokeOff, unavailable } from '../models/errors.ts';
import type { ChatEvent } from './chat-event.ts';
import { type CompletionRequest, completionQuestion } from './completion-request.ts';
import { askedOfAll, byCatalogue } from './fallbacks.ts';
import { type HeldCall, holdCall, type ModelCall } from './hold-call.ts';
import { openHeldCall } from './metered-call.ts';
import { ReadAhead } from './read-ahead.ts';
import { type AnswerEvents, chatSubject, type Turn } from './turn.ts';

/** Changes a text on its way to the caller, piece by piece. */
export interface TextFilter {
  push(text: string): string;
  /** What was held back at the end. */
  rest(): string;
}

interface AnswerOptions {
  filter?: TextFilter;
  /** Whether it is the turn's first call, which counts as the caller's request; yes unless the turn is counted. */
  asRequest?: boolean;
  /** A hold that was made before for the most that the call can cost. */
  hold?: Hold;
}

/**
 * The model's answer as it comes: a `status`, then text. Throws as `holdCall` and `openHeldCall` do, and `ModelError` if it
 * breaks off.
 */
export async function* modelAnswer(
  turn: Turn,
  request: AnswerRequest,
  { filter, asRequest = !turn.isCounted, hold }: AnswerOptions = {},
): AnswerEvents {
  const planned = answerCall(turn, request, asRequest);
  const held: HeldCall = hold ? { call: planned, hold } : await holdCall(planned);
  const opening = openHeldCall(held);
  opening.catch(() => {});
  // After so long a silence an error is told within the stream.
  await within(opening, heartbeatMs);
  const ahead = new ReadAhead(opening);
  const written = { text: '', finishReason: 'stop' };
  const deltas = function* (content: string | undefined) {
    if (!content) return;
    written.text += content;
    yield { type: 'delta' as const, content };
  };
  try {
    yield answering(turn.model, held.maxTokens);
    for await (const piece of ahead.pieces()) {
      if (piece.finishReason) written.finishReason = piece.finishReason;
      for (const content of piece.contents) {
        yield* deltas(filter ? filter.push(content) : content);
      }
    }
    yield* deltas(filter?.rest());
    if (!(await opening).meter.finished) throw unavailable(brokeOff);
  } finally {
    await ahead.end();
  }
  return written;
}

/** The status that tells which model answers, and what limits its answer. */
function answering({ id }: Model, maxTokens: number | undefined): ChatEvent {
  const status = { type: 'status', stage: 'answering', detail: `${id} is answering` } as const;
  return maxTokens === undefined ? status : { ...status, max_tokens: maxTokens };
}

/** What a model is asked, beside the model. */
export type AnswerRequest = Omit<CompletionRequest, 'model' | 'stream'>;

/** The call that asks a turn's model for its answer. */
export function answerCall(
  { caller, request: { metadata }, model, usage, room, signal }: Turn,
  request: AnswerRequest,
  asRequest: boolean,
): ModelCall {
  const asked = { ...request, model: model.id, stream: true } as CompletionRequest;
  return {
    keyId: caller.keyId,
    ...askedOfAll(byCatalogue(model, allowedModelsOf(caller)), (each) =>
      completionQuestion(each, asked),
    ),
    subject: chatSubject({ metadata }),
    asRequest,
    onSettled: (outcome) => usage.addCall(outcome),
    room,
    signal,
  };
}

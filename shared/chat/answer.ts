import { unavailable } from '../models/errors.ts';
import { type CompletionRequest, upstreamBody } from './completion-request.ts';
import { openMeteredCall } from './metered-call.ts';
import { drain, type Piece, readPieces } from './read-pieces.ts';
import type { AnswerEvents, Turn } from './turn.ts';

/** Changes a text on its way to the caller, piece by piece. */
export interface TextFilter {
  push(text: string): string;
  /** What was held back at the end. */
  rest(): string;
}

export interface AnswerOptions {
  filter?: TextFilter;
  /** Whether it is the turn's first call, which counts as the caller's request. */
  asRequest?: boolean;
}

/**
 * The model's answer as it comes: a `status`, then its text. Throws as `openMeteredCall` does before the first
 * event, and `ModelError` for an answer that breaks off.
 */
export async function* modelAnswer(
  { caller, model, tally, signal }: Turn,
  request: Pick<CompletionRequest, 'messages' | 'max_tokens'>,
  { filter, asRequest = true }: AnswerOptions = {},
): AnswerEvents {
  const call = await openMeteredCall({
    keyId: caller.keyId,
    model,
    body: upstreamBody(model, { ...request, model: model.id, stream: true }),
    subject: { tags: ['chat'] },
    asRequest,
    onSettled: (outcome) => tally.addCall(outcome),
    signal,
  });
  const pieces = readPieces(call);
  const written = { text: '', finishReason: 'stop' };
  const deltas = function* (content: string | undefined) {
    if (!content) return;
    written.text += content;
    yield { type: 'delta' as const, content };
  };
  try {
    yield { type: 'status', stage: 'answering', detail: `${model.id} is answering` };
    // With `for await`, a caller who hangs up would end `pieces` too, and they could not be drained below.
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      for (const { delta, finish_reason } of choicesIn(next.value)) {
        if (finish_reason) written.finishReason = finish_reason;
        const content = delta?.content ?? '';
        yield* deltas(filter ? filter.push(content) : content);
      }
    }
    yield* deltas(filter?.rest());
    if (!call.meter.finished) throw unavailable('The model broke off its answer.');
  } finally {
    await drain(pieces);
    await call.end();
  }
  return written;
}

interface TextChoice {
  delta?: { content?: string | null };
  finish_reason?: string | null;
}

const choicesIn = ({ events }: Piece): TextChoice[] =>
  events.map(({ chunk }) => (chunk?.choices?.[0] ?? {}) as TextChoice);

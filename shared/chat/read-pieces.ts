import type { Metered } from '../models/completion-meter.ts';
import { brokeOff, reportedError, unavailable } from '../models/errors.ts';
import { dataOf, EventSplitter, eventsIn } from '../models/event-splitter.ts';
import { withIdleTimeout } from '../models/idle-timeout.ts';
import { textOf } from '../models/token-bounds.ts';
import type { MeteredCall } from './metered-call.ts';

/**
 * Some whole events of an upstream's stream. They may wait for their reader, so only what readers want is kept of them.
 */
export interface Piece {
  bytes: Buffer;
  /** The bytes without the chunk that holds only the usage, for callers who did not ask for that. */
  withoutUsage: Buffer;
  /** What each chunk adds to the first choice, where that is not empty. */
  contents: string[];
  /** Why the first choice ended, if it did. */
  finishReason?: string;
  /** Whether `[DONE]` is among them. */
  isEnd: boolean;
}

/** One event as the upstream sent it. `chunk` is absent for a comment and for `[DONE]`. */
interface StreamEvent {
  text: string;
  chunk?: Metered;
  isEnd: boolean;
}

/**
 * Reads an upstream's stream in pieces of whole events, and meters each before it is passed on. Throws
 * `ModelError` for an event that reports an error or is malformed, and on silence.
 */
export async function* readPieces({
  response,
  meter,
  idleTimeoutMs,
  signal,
}: MeteredCall): AsyncGenerator<Piece> {
  const splitter = new EventSplitter();
  for await (const chunk of withIdleTimeout(response.body, idleTimeoutMs, signal)) {
    yield* metered(splitter.push(chunk), meter);
  }
  const rest = splitter.rest();
  // The last event may lack the blank line that ends it: the next event, which is ours, would become part of it.
  if (rest.length > 0) yield* metered(Buffer.concat([rest, Buffer.from('\n\n')]), meter);
  meter.ended = true;
}

/**
 * Meters events. Before it throws for a malformed one it yields those before it: they are billed, so the
 * caller gets them.
 */
function* metered(bytes: Buffer, meter: MeteredCall['meter']): Generator<Piece> {
  if (bytes.length === 0) return;
  const events: StreamEvent[] = [];
  try {
    for (const text of eventsIn(bytes.toString())) events.push(readEvent(text, meter));
  } catch (error) {
    if (events.length > 0) yield pieceOf(joined(events), events);
    throw error;
  }
  yield pieceOf(bytes, events);
}

function pieceOf(bytes: Buffer, events: StreamEvent[]): Piece {
  const kept = events.filter((event) => !isUsageChunk(event));
  const piece: Piece = {
    bytes,
    withoutUsage: kept.length === events.length ? bytes : joined(kept),
    contents: [],
    isEnd: events.some(({ isEnd }) => isEnd),
  };
  for (const { chunk } of events) {
    const { delta, finish_reason } = (chunk?.choices?.[0] ?? {}) as TextChoice;
    const text = textOf(delta ?? {});
    if (text) piece.contents.push(text);
    if (finish_reason) piece.finishReason = finish_reason;
  }
  return piece;
}

interface TextChoice {
  /** Its content is a list of parts where a model thinks in parts of their own, as Mistral's do. */
  delta?: Parameters<typeof textOf>[0];
  finish_reason?: string | null;
}

const joined = (events: StreamEvent[]) => Buffer.from(events.map(({ text }) => text).join(''));

const isUsageChunk = ({ chunk }: StreamEvent) => Boolean(chunk?.usage) && !chunk?.choices?.length;

function readEvent(text: string, meter: MeteredCall['meter']): StreamEvent {
  const data = dataOf(text);
  if (data === undefined || data === '[DONE]') return { text, isEnd: data === '[DONE]' };
  const chunk = parseChunk(data);
  meter.observe(chunk);
  if (chunk.error) throw reportedError(chunk.error, meter.request, brokeOff);
  return { text, chunk, isEnd: false };
}

function parseChunk(data: string): Metered {
  const broken = 'The model sent a broken chunk.';
  try {
    const chunk: Metered | null = JSON.parse(data);
    if (typeof chunk === 'object' && chunk) return chunk;
  } catch (cause) {
    throw unavailable(broken, cause);
  }
  throw unavailable(broken);
}

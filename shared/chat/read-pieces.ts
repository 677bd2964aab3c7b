import type { Metered } from '../models/completion-meter.ts';
import { unavailable, withoutSecrets } from '../models/errors.ts';
import { dataOf, EventSplitter, eventsIn } from '../models/event-splitter.ts';
import { withIdleTimeout } from '../models/idle-timeout.ts';
import type { MeteredCall } from './metered-call.ts';

/** Some whole events of an upstream's stream. */
export interface Piece {
  bytes: Buffer;
  events: StreamEvent[];
}

/** One event as the upstream sent it. `chunk` is absent for a comment and for `[DONE]`. */
export interface StreamEvent {
  text: string;
  chunk?: Metered;
  /** Whether it is `[DONE]`. */
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
  // The last event may lack the blank line that ends it. Without it, an event of ours would become part of it.
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
    const whole = Buffer.from(events.map(({ text }) => text).join(''));
    if (whole.length > 0) yield { bytes: whole, events };
    throw error;
  }
  yield { bytes, events };
}

function readEvent(text: string, meter: MeteredCall['meter']): StreamEvent {
  const data = dataOf(text);
  if (data === undefined || data === '[DONE]') return { text, isEnd: data === '[DONE]' };
  const chunk = parseChunk(data);
  meter.observe(chunk);
  if (chunk.error) throw unavailable(messageOf(chunk.error));
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

function messageOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' ? withoutSecrets(message) : 'The model broke off its answer.';
}

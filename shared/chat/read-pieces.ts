import { doneEvent, eventOf } from '../http/event-stream.ts';
import type { CompletionMeter, Metered } from '../models/completion-meter.ts';
import { oneCreated } from '../models/dialects/chat/created.ts';
import type { EndingReader } from '../models/dialects/dialect.ts';
import { meteredOf } from '../models/dialects/metered.ts';
import { parsedEvent } from '../models/dialects/translate.ts';
import { brokeOff, reportedError } from '../models/errors.ts';
import { dataOf, EventSplitter, eventsIn } from '../models/event-splitter.ts';
import { withIdleTimeout } from '../models/idle-timeout.ts';
import { textOf } from '../models/token-bounds.ts';
import type { MeteredCall } from './metered-call.ts';

/** Some whole events of an upstream's stream, reduced to what readers want, as they may wait. */
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
  /** Whether the text isn't the upstream's own. */
  isWritten?: boolean;
}

/** A call whose stream is being read. */
interface Reading extends MeteredCall {
  created: ReturnType<typeof oneCreated>;
}

/**
 * Reads a stream in pieces of whole events, metered before they are passed on. An output that is certainly too long
 * ends there with `length`. Throws `ModelError` for an error, a malformed event, or silence.
 */
export async function* readPieces(call: MeteredCall): AsyncGenerator<Piece> {
  const { response, head, meter, bytes, idleTimeoutMs, signal } = call;
  const splitter = new EventSplitter();
  const reading = { ...call, created: oneCreated() };
  for await (const chunk of withIdleTimeout(response.body, idleTimeoutMs, signal, head)) {
    yield* metered(splitter.push(chunk), reading);
    call.noteUse();
    if (meter.ended) return;
    await bytes.holdPending(splitter.pendingBytes);
  }
  const rest = splitter.rest();
  // The last event may lack the blank line that ends it: the next event, which is ours, would become part of it.
  if (rest.length > 0) yield* metered(Buffer.concat([rest, Buffer.from('\n\n')]), reading);
  meter.ended = true;
}

/** Meters events. Those before a malformed one are yielded first, as they are billed; those after the limit are dropped. */
function* metered(bytes: Buffer, call: Reading): Generator<Piece> {
  if (bytes.length === 0) return;
  const { meter, reader } = call;
  const events: StreamEvent[] = [];
  try {
    for (const text of eventsIn(bytes.toString())) {
      const event = readEvent(text, call);
      events.push(event);
      const overdue = meter.overdueChoices;
      if (overdue.length === 0) continue;
      events.push(
        ...(reader ? [lastEvent(reader, meter)] : lastEvents(event.chunk, overdue, meter)),
      );
      return yield pieceOf(joined(events), events);
    }
  } catch (error) {
    if (events.length > 0) yield pieceOf(joined(events), events);
    throw error;
  }
  yield pieceOf(events.some(({ isWritten }) => isWritten) ? joined(events) : bytes, events);
}

/** Ends choices as their model should have: with a chunk that says so, the usage as it is charged, and `[DONE]`. */
function lastEvents(chunk: Metered = {}, choices: number[], meter: CompletionMeter): StreamEvent[] {
  const { usage: _, ...common } = chunk;
  const ends = choices.map((index) => ({ index, delta: {}, finish_reason: 'length' }));
  const last = { ...common, choices: ends };
  meter.observe(last);
  meter.ended = true;
  const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = meter.outcome();
  const total_tokens = prompt_tokens + completion_tokens;
  const usage = { prompt_tokens, completion_tokens, total_tokens };
  return [
    ...[last, { ...common, choices: [], usage }].map((each) => ({
      text: eventOf(each),
      chunk: each,
      isEnd: false,
    })),
    { text: doneEvent, isEnd: true },
  ];
}

/** Ends an answer in another dialect in the same way. */
function lastEvent(reader: EndingReader, meter: CompletionMeter): StreamEvent {
  meter.observe({ choices: [{ index: 0, finish_reason: 'length' }] });
  meter.ended = true;
  const { promptTokens, completionTokens: outputTokens } = meter.outcome();
  return { text: reader.cut({ promptTokens, outputTokens }), isEnd: true };
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
    const { delta, finish_reason } = chunk?.choices?.[0] ?? {};
    const text = textOf(delta ?? {});
    if (text) piece.contents.push(text);
    if (finish_reason) piece.finishReason = finish_reason;
  }
  return piece;
}

const joined = (events: StreamEvent[]) => Buffer.from(events.map(({ text }) => text).join(''));

const isUsageChunk = ({ chunk }: StreamEvent) => Boolean(chunk?.usage) && !chunk?.choices?.length;

function readEvent(text: string, { meter, reader, created }: Reading): StreamEvent {
  const data = dataOf(text);
  const isEnd = !reader && data === '[DONE]';
  if (isEnd) meter.done();
  if (data === undefined || data === '[DONE]') return { text, isEnd };
  const event = parsedEvent(data);
  const timed = reader ? undefined : created(event);
  const chunk: Metered = reader ? meteredOf(reader.read(event)) : (timed ?? event);
  meter.observe(chunk);
  if (chunk.error) throw reportedError(chunk.error, meter.request, brokeOff);
  if (timed) return { text: eventOf(timed), chunk, isEnd: false, isWritten: true };
  return { text, chunk, isEnd: reader?.isOver ?? false };
}

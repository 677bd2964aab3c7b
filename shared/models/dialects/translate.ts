import type { AnswerBytes } from '../answer-bytes.ts';
import { brokeOff, unavailable } from '../errors.ts';
import { dataOf, EventSplitter, eventsIn } from '../event-splitter.ts';
import { parsed } from '../field.ts';
import type { Ask } from './ask.ts';
import type { AnswerEvent, AnswerReader, AnswerWriter, Body, Dialect } from './dialect.ts';
import { restoring } from './plain-tools.ts';

/** Whether a response comes as events. */
export const isEventStream = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('text/event-stream');

/**
 * Translates a provider's response, streamed or whole as it was asked for. A stream is translated event by event; one
 * that ends early, or has impossible events, does the same. Its body is read as the translation is.
 */
export function translateResponse(
  response: Response,
  from: Dialect,
  to: Dialect,
  ask: Ask,
  bytes: AnswerBytes,
): Response {
  const { body } = response;
  if (!body) throw unavailable(brokeOff);
  const isStream = isEventStream(response);
  const pieces =
    ask.stream && isStream
      ? translated(body, from.reader(ask.model), restoringWriter(to, ask), bytes)
      : translatedWhole(() => textOf(body, bytes), isStream ? eventsOf : answerOf, from, to, ask);
  const type = ask.stream ? 'text/event-stream' : 'application/json';
  return new Response(ReadableStream.from(pieces), { headers: { 'content-type': type } });
}

/** Translates an answer that is read whole. What is none is left to its reader, as if it had come from its provider. */
async function* translatedWhole(
  read: () => Promise<string>,
  eventsIn: (text: string, from: Dialect, ask: Ask) => AnswerEvent[] | undefined,
  from: Dialect,
  to: Dialect,
  ask: Ask,
): AsyncGenerator<Uint8Array> {
  const text = await read();
  const events = eventsIn(text, from, ask);
  if (!events) yield Buffer.from(text);
  else if (!ask.stream) {
    const restored = events.flatMap(restoring(ask));
    yield Buffer.from(JSON.stringify(to.writeAnswer(restored, ask)));
  } else {
    const writer = restoringWriter(to, ask);
    yield Buffer.from(events.map((event) => writer.write(event)).join(''));
  }
}

/** Writes an answer in which tools have the names that the caller knows. */
function restoringWriter(to: Dialect, ask: Ask): AnswerWriter {
  const writer = to.writer(ask);
  const restore = restoring(ask);
  return {
    write: (event) =>
      restore(event)
        .map((each) => writer.write(each))
        .join(''),
    ping: () => writer.ping(),
  };
}

/** Reads a body to its end. */
async function textOf(body: AsyncIterable<Uint8Array>, bytes: AnswerBytes): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    await bytes.hold(length);
  }
  return Buffer.concat(chunks).toString();
}

/** Reads the text of a whole stream. */
function eventsOf(text: string, from: Dialect, ask: Ask): AnswerEvent[] {
  const reader = from.reader(ask.model);
  const events: AnswerEvent[] = [];
  for (const event of eventsIn(text)) {
    const data = dataOf(event);
    if (data === '[DONE]') reader.done?.();
    else if (data !== undefined) events.push(...reader.read(parsedEvent(data)));
  }
  events.push(...reader.finish());
  if (!reader.isOver) throw unavailable(brokeOff);
  return events;
}

/** Reads the text of an answer in one piece; undefined if it is none. */
function answerOf(text: string, from: Dialect, { model }: Ask): AnswerEvent[] | undefined {
  const answer = parsed(text);
  if (typeof answer !== 'object' || answer === null) return undefined;
  return from.readAnswer(answer as Body, model);
}

async function* translated(
  body: AsyncIterable<Uint8Array>,
  reader: AnswerReader,
  writer: AnswerWriter,
  bytes: AnswerBytes,
): AsyncGenerator<Uint8Array> {
  const splitter = new EventSplitter();
  for await (const chunk of body) {
    yield* written(splitter.push(chunk), reader, writer);
    await bytes.holdPending(splitter.pendingBytes);
  }
  yield* written(splitter.rest(), reader, writer);
  const last = reader.finish().map((event) => writer.write(event));
  if (last.length > 0) yield Buffer.from(last.join(''));
}

/**
 * Translates events. Those before an impossible one are yielded first, as they are billed. Events without a
 * translation keep the connection open.
 */
function* written(bytes: Buffer, reader: AnswerReader, writer: AnswerWriter): Generator<Buffer> {
  let text = '';
  try {
    if (bytes.length > 0)
      for (const event of eventsIn(bytes.toString()))
        text += translatedEvent(event, reader, writer);
  } finally {
    if (text !== '') yield Buffer.from(text);
  }
  if (text === '' && bytes.length > 0 && !reader.isOver) yield Buffer.from(writer.ping());
}

function translatedEvent(text: string, reader: AnswerReader, writer: AnswerWriter): string {
  const data = dataOf(text);
  if (data === undefined) return writer.ping();
  if (data === '[DONE]') {
    reader.done?.();
    return '';
  }
  const written = reader.read(parsedEvent(data)).map((event) => writer.write(event));
  return written.join('') || writer.ping();
}

/** Parses the data of an event. Throws `ModelError` for what is no object. */
export function parsedEvent(data: string): Body {
  const broken = 'The model sent a broken chunk.';
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === 'object' && value !== null) return value as Body;
  } catch (cause) {
    throw unavailable(broken, cause);
  }
  throw unavailable(broken);
}

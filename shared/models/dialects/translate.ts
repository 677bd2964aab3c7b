import { brokeOff, unavailable } from '../errors.ts';
import { dataOf, EventSplitter, eventsIn } from '../event-splitter.ts';
import type { Ask } from './ask.ts';
import type { AnswerReader, AnswerWriter, Body, Dialect } from './dialect.ts';

/**
 * Returns a provider's response as another dialect has it, so that whoever reads it needn't know what the provider speaks.
 * A stream is translated event by event. One that breaks off, or has events that can't come, breaks the same way. Its body
 * is read as whoever reads the translation does: a prompt was taken by then.
 */
export function translateResponse(
  response: Response,
  from: Dialect,
  to: Dialect,
  ask: Ask,
): Response {
  const { body } = response;
  if (!body) throw unavailable(brokeOff);
  const pieces = ask.stream
    ? translated(body, from.reader(), to.writer(ask))
    : translatedWhole(response, from, to, ask);
  const type = ask.stream ? 'text/event-stream' : 'application/json';
  return new Response(ReadableStream.from(pieces), { headers: { 'content-type': type } });
}

/** Translates an answer that isn't streamed. What is none is left to its reader, as if it had come from its provider. */
async function* translatedWhole(
  response: Response,
  from: Dialect,
  to: Dialect,
  ask: Ask,
): AsyncGenerator<Uint8Array> {
  const text = await response.text();
  const answer = objectIn(text);
  const written = answer && JSON.stringify(to.writeAnswer(from.readAnswer(answer), ask));
  yield Buffer.from(written ?? text);
}

function objectIn(text: string): Body | undefined {
  try {
    return parsedEvent(text);
  } catch {
    return undefined;
  }
}

async function* translated(
  body: AsyncIterable<Uint8Array>,
  reader: AnswerReader,
  writer: AnswerWriter,
): AsyncGenerator<Uint8Array> {
  const splitter = new EventSplitter();
  for await (const chunk of body) yield* written(splitter.push(chunk), reader, writer);
  yield* written(splitter.rest(), reader, writer);
  const last = reader.finish().map((event) => writer.write(event));
  if (last.length > 0) yield Buffer.from(last.join(''));
  if (!reader.isOver) throw unavailable(brokeOff);
}

/**
 * Translates events. Before it throws for one that can't come it yields those before it: they are billed. Events that say
 * nothing in the other dialect keep the connection open.
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
  if (data === '[DONE]') return '';
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

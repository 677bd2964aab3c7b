import { completionErrorOf } from '../http/error-response.ts';
import { doneEvent, eventOf, withHeartbeats } from '../http/event-stream.ts';
import type { Note } from '../http/request-log.ts';
import { errorWords } from '../log.ts';
import type { DialectName } from '../models/dialect-names.ts';
import { brokeOff, unavailable } from '../models/errors.ts';
import { readerOf } from '../models/upstreams/wires.ts';
import { brokenOff } from './broken-off.ts';
import type { MeteredCall } from './metered-call.ts';
import { ReadAhead } from './read-ahead.ts';

/**
 * Forwards an upstream's stream byte for byte, and meters it. A chunk of usage that nobody asked for is left out. A
 * stream that breaks off, or whose call can't be opened, ends with an error in its dialect. Silence is filled with
 * comments. The call is settled after any end of the stream.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export const forwardStream = (...asked: Parameters<typeof forwarded>) =>
  withHeartbeats(forwarded(...asked));

async function* forwarded(
  opening: MeteredCall | Promise<MeteredCall>,
  wantsUsage: boolean,
  note: Note = () => {},
  dialect: DialectName = 'chat',
): AsyncGenerator<Uint8Array | string> {
  const ahead = new ReadAhead(opening);
  let reader = readerOf(dialect);
  let ended = false;
  try {
    const call = await opening;
    reader = call.reader;
    for await (const piece of ahead.pieces()) {
      yield wantsUsage ? piece.bytes : piece.withoutUsage;
      ended ||= piece.isEnd;
    }
    if (!ended && (reader || !call.meter.finished)) throw unavailable(brokeOff);
    if (!ended && !reader) yield doneEvent;
  } catch (error) {
    const told = brokenOff(error);
    note({ error: errorWords(told) });
    // Nothing may follow the end, which the caller has.
    if (ended) return;
    yield reader ? reader.fail(told) : eventOf({ error: completionErrorOf(told) });
  } finally {
    await ahead.end();
  }
}

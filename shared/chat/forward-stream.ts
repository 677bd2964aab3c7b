import { completionErrorOf } from '../http/error-response.ts';
import { doneEvent, eventOf } from '../http/event-stream.ts';
import type { Note } from '../http/request-log.ts';
import { errorWords } from '../log.ts';
import { brokeOff, unavailable } from '../models/errors.ts';
import { brokenOff } from './broken-off.ts';
import type { MeteredCall } from './metered-call.ts';
import { ReadAhead } from './read-ahead.ts';

/**
 * Forwards an upstream's stream byte for byte, and meters it. The chunk that holds only the usage is left out
 * unless the caller asked for it. A stream that breaks off ends with an error as its dialect has it: in chat completions a
 * chunk that has `error`, without `[DONE]`.
 * The call is settled however the stream ends, also if the caller hangs up or reads no further.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export async function* forwardStream(
  call: MeteredCall,
  wantsUsage: boolean,
  note: Note = () => {},
): AsyncGenerator<Uint8Array | string> {
  const ahead = new ReadAhead(call);
  let ended = false;
  try {
    for await (const piece of ahead.pieces()) {
      yield wantsUsage ? piece.bytes : piece.withoutUsage;
      ended ||= piece.isEnd;
    }
    if (!ended && (call.reader || !call.meter.finished)) throw unavailable(brokeOff);
    if (!ended && !call.reader) yield doneEvent;
  } catch (error) {
    const told = brokenOff(error);
    note({ error: errorWords(told) });
    // Nothing may follow the end, which the caller has.
    if (ended) return;
    yield call.reader ? call.reader.fail(told) : eventOf({ error: completionErrorOf(told) });
  } finally {
    await ahead.end();
  }
}

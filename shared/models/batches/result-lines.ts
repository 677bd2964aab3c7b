import * as v from 'valibot';
import { unavailable } from '../errors.ts';
import type { UnreadableResult, UpstreamResult } from './protocol.ts';

/** More than any answer has. A longer line is passed over without being kept. */
const maxLineBytes = 32 * 1024 * 1024;

const lineFeed = 0x0a;

/** Returns what each line of a response says, read no faster than it is taken; of a line that says nothing, why. */
export async function* resultsIn<Line>(
  response: Response,
  schema: v.GenericSchema<unknown, Line>,
  resultOf: (line: Line) => UpstreamResult,
): AsyncGenerator<UpstreamResult | UnreadableResult> {
  let number = 0;
  for await (const line of linesOf(response)) {
    number += 1;
    if (line === 'too long') yield { unreadable: `line ${number} is too long` };
    else if (line.trim() !== '') {
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), line);
      if (read.success) yield resultOf(read.output);
      else yield { unreadable: `line ${number} has a wrong ${placeOf(read.issues[0])}` };
    }
  }
}

/** What an upstream says of a batch. Throws 503 if it is none, as if the upstream had said nothing. */
export function shaped<Shape>(schema: v.GenericSchema<unknown, Shape>, value: unknown): Shape {
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  throw unavailable(`The provider’s batch has a wrong ${placeOf(read.issues[0])}.`);
}

const placeOf = (issue: v.BaseIssue<unknown>) =>
  issue.path?.map(({ key }) => String(key)).join('.') || 'form';

/** What an upstream says of a batch that it has made. */
export const Made = v.object({ id: v.string() });

/** An object's fields, of which no more is said. */
export const anyFields = v.record(v.string(), v.unknown());

async function* linesOf(response: Response): AsyncGenerator<string | 'too long'> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const end = () => {
    const line = bytes > maxLineBytes ? 'too long' : Buffer.concat(pieces).toString();
    [pieces, bytes] = [[], 0];
    return line;
  };
  const add = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes > maxLineBytes) pieces = [];
    else pieces.push(piece);
  };
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, at));
      yield end();
      start = at + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) yield end();
}

import * as v from 'valibot';
import { collectUpTo } from '../../collect.ts';
import { maxAnswerBytes } from '../../http/bounds.ts';
import { linesOf } from '../../lines.ts';
import { unavailable } from '../errors.ts';
import type { UnreadableResult, UpstreamResult } from './protocol.ts';

/** Returns what each line of a response says, read no faster than it is taken; of a line that says nothing, why. */
export async function* resultsIn<Line>(
  response: Response,
  schema: v.GenericSchema<unknown, Line>,
  resultOf: (line: Line) => UpstreamResult,
): AsyncGenerator<UpstreamResult | UnreadableResult> {
  let number = 0;
  for await (const line of linesOf(response.body ?? ReadableStream.from([]), maxAnswerBytes)) {
    number += 1;
    if (line === undefined) yield { unreadable: `line ${number} is too long` };
    else if (line.trim() !== '') {
      const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), line);
      if (read.success) yield resultOf(read.output);
      else yield { unreadable: `line ${number} has a wrong ${placeOf(read.issues[0])}` };
    }
  }
}

/** What an upstream says of its batches. Throws 503 if it is nothing that can be, or too long, as if it had said nothing. */
export async function told<Shape>(
  schema: v.GenericSchema<unknown, Shape>,
  asked: { asResponse(): Promise<Response> },
): Promise<Shape> {
  const { body } = await asked.asResponse();
  const bytes = await collectUpTo(maxAnswerBytes, body ?? []);
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), bytes?.toString());
  if (read.success) return read.output;
  throw unavailable(`The provider’s batch has a wrong ${placeOf(read.issues[0])}.`);
}

const placeOf = (issue: v.BaseIssue<unknown>) =>
  issue.path?.map(({ key }) => String(key)).join('.') || 'form';

/** What an upstream says of a batch that it has made. */
export const Made = v.object({ id: v.string() });

/** An object's fields, of which no more is said. */
export const anyFields = v.record(v.string(), v.unknown());

/** Fields of a batch beside its state and files may have any value, as no answer depends on them. */
export const beside = <Shape>(schema: v.GenericSchema<unknown, Shape>) =>
  v.fallback(v.nullish(schema), undefined);

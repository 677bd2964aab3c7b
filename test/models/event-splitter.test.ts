import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataOf, EventSplitter, eventsIn } from '../../shared/models/event-splitter.ts';
import { cutUp } from '../support/fixtures/cut.ts';

const line = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((text) => text.replace(/[\r\n]/g, ' '));
const field = fc.constantFrom('data: ', 'data:', ': ', 'event: ', 'id: ');

/** One event, its lines ending in any of the three ways. */
const anEvent = fc
  .tuple(
    fc.array(fc.tuple(field, line), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('\n', '\r\n', '\r'),
  )
  .map(([lines, end]) => `${lines.map((parts) => parts.join('') + end).join('')}${end}`);

/** A stream's bytes, whole, and cut somewhere. */
const aCutStream = fc
  .array(anEvent, { maxLength: 8 })
  .chain((events) => fc.tuple(fc.constant(events), cutUp(Buffer.from(events.join('')))));

describe('a stream cut anywhere', () => {
  it('has the same events', () => {
    fc.assert(
      fc.property(aCutStream, ([events, chunks]) => {
        const splitter = new EventSplitter();

        const pieces = chunks.map((chunk) => splitter.push(chunk)).filter(({ length }) => length);

        expect(pieces.flatMap((piece) => eventsIn(piece.toString()))).toEqual(events);
        expect(splitter.rest()).toHaveLength(0);
      }),
    );
  });

  it('has the same bytes, also where its last event is incomplete', () => {
    fc.assert(
      fc.property(aCutStream, fc.nat(), ([, chunks], cut) => {
        const whole = Buffer.concat(chunks);
        const missing = cut % (whole.length + 1);
        const splitter = new EventSplitter();

        const pieces = chunks.map((chunk) => splitter.push(chunk));
        const last = splitter.push(whole.subarray(0, missing));

        expect(Buffer.concat([...pieces, last, splitter.rest()])).toEqual(
          Buffer.concat([whole, whole.subarray(0, missing)]),
        );
      }),
    );
  });
});

it.each([
  ['the data of a line', 'data: x\n\n', 'x'],
  ['data without a space', 'data:x\n\n', 'x'],
  ['several lines as one', 'data: a\r\ndata: b\r\n\r\n', 'a\nb'],
  ['data beside other fields', 'event: x\ndata: y\nid: 1\n\n', 'y'],
  ['nothing of a comment', ': data: x\n\n', undefined],
  ['nothing of other fields', 'event: x\n\n', undefined],
])('reads %s', (_, event, data) => {
  expect(dataOf(event)).toBe(data);
});

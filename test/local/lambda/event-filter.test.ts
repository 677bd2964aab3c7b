import { describe, expect, it } from 'vitest';
import { eventFilter } from '../../../lib/local/lambda/event-filter.ts';

const passes = (record: unknown, ...patterns: object[]) =>
  eventFilter(patterns.map((pattern) => JSON.stringify(pattern)))(record);

describe('an event filter', () => {
  const record = {
    eventName: 'MODIFY',
    dynamodb: { NewImage: { status: { S: 'queued' } }, SizeBytes: 5, Old: null },
  };

  it.each<[string, object, boolean]>([
    ['a value', { eventName: ['MODIFY'] }, true],
    ['one of several values', { eventName: ['INSERT', 'MODIFY'] }, true],
    ['another value', { eventName: ['INSERT'] }, false],
    ['a value in depth', { dynamodb: { NewImage: { status: { S: ['queued'] } } } }, true],
    ['another value in depth', { dynamodb: { NewImage: { status: { S: ['done'] } } } }, false],
    ['a number', { dynamodb: { SizeBytes: [5] } }, true],
    ['a number as a string', { dynamodb: { SizeBytes: ['5'] } }, false],
    ['null', { dynamodb: { Old: [null] } }, true],
    ['null where there is nothing', { dynamodb: { New: [null] } }, false],
    ['two keys that both fit', { eventName: ['MODIFY'], dynamodb: { SizeBytes: [5] } }, true],
    ['two keys of which one fits', { eventName: ['MODIFY'], dynamodb: { SizeBytes: [6] } }, false],
    [
      'a key in depth that is not there',
      { dynamodb: { OldImage: { status: { S: ['x'] } } } },
      false,
    ],
    ['a key below null', { dynamodb: { Old: { status: ['x'] } } }, false],
    ['no key at all', {}, true],
    ['no value at all', { eventName: [] }, false],
    ['what exists', { dynamodb: { NewImage: [{ exists: true }] } }, true],
    ['what should not exist but does', { eventName: [{ exists: false }] }, false],
    ['what does not exist', { dynamodb: { OldImage: [{ exists: false }] } }, true],
    ['what should exist but does not', { dynamodb: { OldImage: [{ exists: true }] } }, false],
    ['a rule or a value', { eventName: [{ exists: false }, 'MODIFY'] }, true],
  ])('on %s passes a record: %o → %s', (_, pattern, expected) => {
    expect(passes(record, pattern)).toBe(expected);
  });

  it('without patterns passes everything', () => {
    expect(passes(record)).toBe(true);
  });

  it('of several patterns passes what fits any of them', () => {
    const [insert, modify] = [{ eventName: ['INSERT'] }, { eventName: ['MODIFY'] }];

    expect(passes(record, insert, modify)).toBe(true);
    expect(passes({ eventName: 'REMOVE' }, insert, modify)).toBe(false);
  });

  it.each([{ numeric: ['>', 5] }, { suffix: 'x' }])(
    'stops at a rule it does not know before any record comes: %o',
    (rule) => {
      const pattern = JSON.stringify({ dynamodb: { SizeBytes: [rule] } });

      expect(() => eventFilter([pattern])).toThrow(
        /^The local stage doesn't know the filter operator (numeric|suffix)\.$/,
      );
    },
  );
});

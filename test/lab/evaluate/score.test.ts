import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignRows } from './align-rows.ts';
import { leastOf } from './evaluation-text.ts';
import type { ExpectedDocument } from './expected.ts';
import type { Extraction, FoundEvidence } from './extraction.ts';
import { precisionOf, recallOf, scoreOf, totalOf } from './score.ts';

const document = (
  values: Record<string, unknown>,
  evidence: ExpectedDocument['evidence'] = {},
): ExpectedDocument => ({ file: 'a.pdf', schema: {}, values, evidence });

const extraction = (data: unknown, evidence: FoundEvidence[] = []): Extraction => ({
  ...{
    data,
    evidence,
    coverage: { pages: [], arrays: [] },
    windows: { total: 1, repairs: 0, failed: 0 },
  },
  ...{ cost_usd: 0, ocr: { page_count: 1, cost_usd: 0 } },
});

const at = (path: string, page: number, ...boxes: FoundEvidence['boxes']): FoundEvidence => ({
  ...{ path, page, boxes, found: 'exact' },
});

describe('values', () => {
  it('are the same whatever their case, spacing and width, and no other', () => {
    const values = { name: 'Harrow & Finch', sum: 0.3, day: '2026-03-03', left: null };

    const { values: same } = scoreOf(
      document(values),
      extraction({ name: ' harrow ＆\nfinch', sum: 0.1 + 0.2, day: '2026-03-03', left: null }),
    );
    const { values: other } = scoreOf(
      document(values),
      extraction({ name: 'Harrow & Fmch', sum: '0.3', day: null, left: 'x' }),
    );

    expect(same).toEqual({ right: 3, returned: 3, expected: 3 });
    expect(other).toEqual({ right: 0, returned: 3, expected: 3 });
  });

  it('of nested objects and missing ones are counted one by one', () => {
    const { values } = scoreOf(
      document({ seller: { name: 'A', vat: 'B' }, tags: ['x', 'y'] }),
      extraction({ seller: { name: 'A' }, tags: ['y', 'z'] }),
    );

    expect(values).toEqual({ right: 2, returned: 3, expected: 4 });
  });

  it('that are wrong are told apart by whether they are marked', () => {
    const { wrong } = scoreOf(
      document({ a: 1, b: 2, c: 3 }),
      extraction({ a: 9, b: 9, c: 3 }, [at('/a', 1), { ...at('/b', 1), found: 'not found' }]),
    );

    expect(wrong).toEqual({ values: 2, marked: 1 });
  });
});

describe('rows', () => {
  const rows = (...texts: string[]) => texts.map((text, n) => ({ text, n: n % 2, kind: 'x' }));

  it('that are equal stay as many as they are', () => {
    const twice = [{ text: 'a' }, { text: 'a' }, { text: 'b' }];

    expect(alignRows(twice, twice)).toMatchObject({ missing: [], doubled: 0, outOfOrder: 0 });
    expect(alignRows(twice, [...twice, { text: 'a' }])).toMatchObject({ missing: [], doubled: 1 });
    expect(alignRows(twice, [{ text: 'a' }, { text: 'b' }])).toMatchObject({ missing: [1] });
  });

  it('of which a field is wrong are the same rows still, and others are invented', () => {
    const [first, second] = rows('a', 'b');

    const { expectedOf, invented } = alignRows(
      [first, second],
      [{ ...second, text: 'misread' }, { text: 'nowhere', n: 7, kind: 'y' }, first],
    );

    expect(expectedOf).toEqual([1, undefined, 0]);
    expect(invented).toBe(1);
  });

  it('out of order are as many as would have to be moved', () => {
    const all = rows('a', 'b', 'c', 'd', 'e');
    const [a, b, c, d, e] = all;

    expect(alignRows(all, [a, c, d, b, e]).outOfOrder).toBe(1);
    expect(alignRows(all, [...all].reverse()).outOfOrder).toBe(4);
  });

  it('are counted right whatever is left out, repeated or moved', () => {
    const distinct = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(distinct, fc.infiniteStream(fc.integer({ min: 0, max: 2 })), (texts, times) => {
        const all = texts.map((text, n) => ({ text: `${n} ${text}`, n }));
        const counts = all.map(() => times.next().value as number);
        const returned = all.flatMap((row, n) => Array.from({ length: counts[n] ?? 0 }, () => row));

        const { missing, doubled, invented } = alignRows(all, returned);

        expect(missing).toEqual(counts.flatMap((count, n) => (count === 0 ? [n] : [])));
        expect(doubled).toBe(counts.filter((count) => count === 2).length);
        expect(invented).toBe(0);
      }),
    );
  });
});

describe('evidence', () => {
  it('is right by its page and half of the smaller box', () => {
    const values = { a: 1, b: 2, c: 3, d: 4, e: 5 };
    const box: [number, number, number, number] = [100, 100, 200, 120];
    const place = { page: 2, box };

    const { evidence } = scoreOf(
      document(values, { '/a': place, '/b': place, '/c': place, '/d': { page: 2 }, '/e': place }),
      extraction(values, [
        at('/a', 2, [50, 95, 400, 125]),
        at('/b', 2, [160, 100, 300, 120]),
        at('/c', 1, box),
        at('/d', 2, [0, 0, 1, 1]),
      ]),
    );

    expect(evidence).toMatchObject({ right: 2, returned: 4, expected: 5 });
    expect(evidence.overlap).toBeCloseTo((100 * 20) / (350 * 30));
  });

  it('of a row is looked for at the row that was returned for it', () => {
    const [first, second] = [{ text: 'a' }, { text: 'b' }];

    const { evidence } = scoreOf(
      document({ rows: [first, second] }, { '/rows/0': { page: 1 }, '/rows/1/text': { page: 3 } }),
      extraction({ rows: [second] }, [at('/rows/0/text', 3)]),
    );

    expect(evidence).toEqual({ right: 1, returned: 1, expected: 2, overlap: null });
  });

  it('of a row is that of its cells where it has none of its own', () => {
    const box: [number, number, number, number] = [100, 100, 400, 120];

    const { evidence } = scoreOf(
      document({ rows: [{ a: 1, b: 2 }] }, { '/rows/0': { page: 2, box } }),
      extraction({ rows: [{ a: 1, b: 2 }] }, [
        at('/rows/0/a', 2, [100, 100, 150, 120]),
        at('/rows/0/b', 2, [250, 100, 400, 120]),
      ]),
    );

    expect(evidence).toEqual({ right: 1, returned: 1, expected: 1, overlap: 200 / 300 });
  });
});

it('what is empty on both sides is whole, and what was not returned is no false precision', () => {
  const none = scoreOf(document({ a: null, rows: [] }), extraction({ a: null, rows: [] }));
  const failed = scoreOf(document({ a: 1 }), extraction(null));

  expect(leastOf(none)).toBe(1);
  expect(precisionOf(failed.values)).toBe(1);
  expect(recallOf(failed.values)).toBe(0);
  expect(totalOf([none, failed]).values).toEqual({ right: 0, returned: 0, expected: 1 });
});

import { describe, expect, it } from 'vitest';
import { scoreOf } from '../lab/evaluate/score.ts';
import { expectedFile, extractSet } from '../lab/extract-set/extract-set.ts';
import { faultsOf } from '../lab/extract-set/faults.ts';
import { scriptedAnswers, type Vices } from '../lab/extract-set/scripted-model.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { type Directly, extractDirectly, sourcePagesOf } from './extract-directly.ts';

const documents = (await extractSet()).filter(({ file }) => !/scanned|damaged/.test(file));
const folder = useFolder();
const sources = new Map(
  await Promise.all(
    documents.map(
      async (document) => [document.file, await sourcePagesOf(document, folder)] as const,
    ),
  ),
);
const expected = expectedFile(documents).documents;

/** What each document's extraction is worth by a model that has these vices. */
function scores(vices: Vices, directly: Directly = {}, files = /./) {
  return documents.flatMap((document, index) => {
    const truth = expected[index];
    if (!truth || !files.test(document.file)) return [];
    const answers = scriptedAnswers(documents, vices);
    const outcome = extractDirectly(document, sources.get(document.file) ?? [], answers, directly);
    const score = scoreOf({ ...truth, schema: {} }, outcome);
    return [{ file: document.file, score }];
  });
}

describe('every value, place and row of the set comes whole, once and in order by a model that', () => {
  it.each([
    ['tells what is there', {}],
    ['skips rows', { skipsEvery: 7 }],
    ['repeats rows', { repeatsEvery: 5 }],
    ['gives rows in the reverse order', { reverses: true }],
    ['quotes loosely', { quotesLoosely: true }],
    ['says other pages', { misnumbersPages: true }],
    ['wraps its answer in words', { wrapsInWords: true }],
    [
      'does all of this',
      {
        skipsEvery: 9,
        repeatsEvery: 4,
        quotesLoosely: true,
        misnumbersPages: true,
        reverses: true,
      },
    ],
  ] satisfies [string, Vices][])('%s', (_, vices) => {
    expect(scores(vices).flatMap(({ file, score }) => faultsOf(file, score))).toEqual([]);
  });
});

it.each([2, 7, 50])('windows of %i pages come to the same', (maxPages) => {
  const all = scores({ skipsEvery: 11, repeatsEvery: 3 }, { maxPages });

  expect(all.flatMap(({ file, score }) => faultsOf(file, score))).toEqual([]);
});

it('rows that are never told are counted as missing, and no others', () => {
  const all = scores({ skipsEvery: 7, skipsAgain: true }, {}, /boxed|statement|stock/);

  for (const { score } of all) {
    expect(score.rows.missing).toBeGreaterThan(0);
    expect(score.rows).toMatchObject({ told_missing: score.rows.missing, doubled: 0, invented: 0 });
  }
});

it.each([
  ['by true quotes', false],
  ['by quotes that stand nowhere', true],
])(
  'values that are invented %s are marked, and null where evidence is required',
  (_, inventsQuotes) => {
    const invents = { '/number': 'INV-9999', '/gross': 4711.5, '/date': '2031-01-01' };

    for (const requireEvidence of [false, true]) {
      for (const { score } of scores({ invents, inventsQuotes }, { requireEvidence }, /invoice/)) {
        const wrong = requireEvidence ? 0 : 3;
        expect(score.wrong).toEqual({ values: wrong, marked: wrong });
        expect(score.values.right).toBe(score.values.expected - 3);
      }
    }
  },
);

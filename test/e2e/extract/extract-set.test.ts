import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluate, type Manner, type Report } from '../../../lib/cli/evaluate/evaluate.ts';
import { leastOf } from '../../../lib/cli/evaluate/evaluation-text.ts';
import { readExpected } from '../../../lib/cli/evaluate/expected.ts';
import { expectedFile, extractSet } from '../../support/extract-set/extract-set.ts';
import { scriptedModel, type Vices } from '../../support/extract-set/scripted-model.ts';
import { statement } from '../../support/extract-set/statement.ts';
import { useFolder } from '../../support/run/use-folder.ts';
import { useChatStage } from '../../support/servers/chat-stage.ts';

const { newModel, newAccount } = await useChatStage();
const folder = useFolder();
const documents = [...(await extractSet()), await statement(6, 'short-statement.pdf')];
for (const { file, bytes } of documents) writeFileSync(join(folder, file), bytes);
writeFileSync(join(folder, 'expected.json'), JSON.stringify(expectedFile(documents)));
const expected = await readExpected(folder);

/** Has some documents of the set extracted by a model that has these vices. */
async function extracted(
  files: RegExp,
  vices: Vices,
  { kind = 'plain', ...manner }: Partial<Manner> & { kind?: 'plain' | 'wordy' } = {},
): Promise<Report> {
  const model = newModel(kind, scriptedModel(documents, vices));
  const { base_url, api_key } = await newAccount();
  const asked = expected.filter(({ file }) => files.test(file));
  const how = { model: model.id, requireEvidence: false, besidePipeline: false, ...manner };
  return evaluate({ url: base_url, key: api_key }, folder, asked, how, () => {});
}

const texts = /^(?!form-scanned|short)/;
const tables = /invoice-|short|stock-/;

describe.concurrent('by a model that tells what is there', () => {
  it('every value, place and row of the set comes back', async () => {
    const report = await extracted(texts, {}, { kind: 'wordy' });

    expect(faultsIn(report)).toEqual([]);
    expect(leastOf(report.total)).toBe(1);
    expect(report.total.evidence.overlap).toBeGreaterThan(0.5);
  });

  it('a scanned form comes back with its crosses, each where it stands', async () => {
    const report = await extracted(/form-scanned/, {});

    expect(faultsIn(report)).toEqual([]);
    expect(report.total.values).toEqual({ right: 6, returned: 6, expected: 6 });
  });

  it('an empty page and a damaged one are told, and the rest is read', async () => {
    const { documents: reports } = await extracted(/damaged/, {});

    expect(reports).toMatchObject([{ error: null, pages: 4, pages_lost: 1 }]);
  });
});

describe.concurrent('by a model that', () => {
  it.each([
    ['skips rows', { skipsEvery: 7 }],
    ['repeats rows', { repeatsEvery: 5 }],
    ['gives rows in the reverse order', { reverses: true }],
    ['quotes loosely', { quotesLoosely: true }],
    ['says other pages', { misnumbersPages: true }],
    ['breaks off', { cutsOff: true }],
    ['wraps its answer in words', { wrapsInWords: true }],
    [
      'does all of this',
      { skipsEvery: 9, repeatsEvery: 4, quotesLoosely: true, misnumbersPages: true, cutsOff: true },
    ],
  ] satisfies [string, Vices][])(
    '%s, all rows and values come back, in order and once',
    async (_, vices) => {
      const report = await extracted(tables, vices);

      expect(faultsIn(report)).toEqual([]);
      expect(leastOf(report.total)).toBe(1);
    },
  );

  it('skips rows again and again, those that are missing are told', async () => {
    const report = await extracted(/short|stock-/, { skipsEvery: 7, skipsAgain: true });

    const { rows } = report.total;
    expect(rows.missing).toBeGreaterThan(0);
    expect(rows).toMatchObject({
      told_missing: rows.missing,
      doubled: 0,
      invented: 0,
      out_of_order: 0,
    });
  });

  it.each([
    ['by true quotes', false],
    ['by quotes that stand nowhere', true],
  ])(
    'invents values %s, they are marked, and null if evidence is required',
    async (_, inventsQuotes) => {
      const vices = {
        invents: { '/number': 'INV-9999', '/gross': 4711.5, '/date': '2031-01-01' },
        inventsQuotes,
      };

      const marked = await extracted(/invoice/, vices);
      const required = await extracted(/invoice/, vices, { requireEvidence: true });

      expect(marked.total.wrong).toEqual({ values: 9, marked: 9 });
      expect(required.total.wrong).toEqual({ values: 0, marked: 0 });
      expect(required.total.values.returned).toBe(marked.total.values.returned - 9);
    },
  );
});

/** What went wrong, document by document. */
const faultsIn = ({ documents: reports }: Report) =>
  reports.flatMap(({ file, error, score: { values, evidence, rows } }) => [
    ...(error === null ? [] : [`${file}: ${error}`]),
    ...(values.right === values.expected && values.right === values.returned
      ? []
      : [`${file}: values ${JSON.stringify(values)}`]),
    ...(evidence.right === evidence.expected
      ? []
      : [`${file}: evidence ${JSON.stringify(evidence)}`]),
    ...(rows.missing + rows.doubled + rows.invented + rows.out_of_order === 0
      ? []
      : [`${file}: rows ${JSON.stringify(rows)}`]),
  ]);

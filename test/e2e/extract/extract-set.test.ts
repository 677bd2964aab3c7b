import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluate, type Manner, type Report } from '../../lab/evaluate/evaluate.ts';
import { leastOf } from '../../lab/evaluate/evaluation-text.ts';
import { readExpected } from '../../lab/evaluate/expected.ts';
import { expectedFile, extractSet } from '../../lab/extract-set/extract-set.ts';
import { faultsOf } from '../../lab/extract-set/faults.ts';
import { scriptedModel, type Vices } from '../../lab/extract-set/scripted-model.ts';
import { statement } from '../../lab/extract-set/statement.ts';
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

const tables = /invoice-|short|stock-/;

describe.concurrent('through a stage', () => {
  it('every value, place and row of the set comes back', async () => {
    const report = await extracted(/^(?!form|short)/, {}, { kind: 'wordy' });

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

  it('all comes back by a model that skips, repeats, quotes loosely, says other pages and breaks off', async () => {
    const report = await extracted(tables, {
      ...{ skipsEvery: 9, repeatsEvery: 4, reverses: true, cutsOff: true },
      ...{ quotesLoosely: true, misnumbersPages: true, wrapsInWords: true },
    });

    expect(faultsIn(report)).toEqual([]);
    expect(leastOf(report.total)).toBe(1);
  });

  it('rows that are never told are told as missing', async () => {
    const report = await extracted(/short/, { skipsEvery: 7, skipsAgain: true });

    const { rows } = report.total;
    expect(rows.missing).toBeGreaterThan(0);
    expect(rows).toMatchObject({
      told_missing: rows.missing,
      doubled: 0,
      invented: 0,
      out_of_order: 0,
    });
  });

  it('invented values are marked, and null if evidence is required', async () => {
    const vices = { invents: { '/number': 'INV-9999', '/gross': 4711.5, '/date': '2031-01-01' } };

    const marked = await extracted(/plain|german/, vices);
    const required = await extracted(/plain|german/, vices, { requireEvidence: true });

    expect(marked.total.wrong).toEqual({ values: 6, marked: 6 });
    expect(required.total.wrong).toEqual({ values: 0, marked: 0 });
    expect(required.total.values.returned).toBe(marked.total.values.returned - 6);
  });
});

/** What went wrong, document by document. */
const faultsIn = ({ documents: reports }: Report) =>
  reports.flatMap(({ file, error, score }) => [
    ...(error === null ? [] : [`${file}: ${error}`]),
    ...faultsOf(file, score),
  ]);

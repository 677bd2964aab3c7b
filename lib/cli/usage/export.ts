import { csvCell } from '../../../shared/csv.ts';
import type { Export, ExportFigures, ExportOptions } from '../../../shared/usage/export.ts';
import { aligned, printable } from '../text.ts';

/** How an export is printed. */
type Format = (exported: Export, options: ExportOptions) => AsyncGenerator<string>;

const figureNames = [
  'requests',
  'failed_requests',
  'prompt_tokens',
  'completion_tokens',
  'images',
  'cost_usd',
] as const satisfies (keyof ExportFigures)[];

const figuresOf = (line: ExportFigures) => figureNames.map((name) => String(line[name]));

/** One JSON object, with a line of text for each line. */
export const asJson: Format = async function* ({ lines, totals }, { days, by, where }) {
  yield `{"from":"${days.from}","to":"${days.to}","by":${JSON.stringify(by)},"tags":${JSON.stringify(where)},"lines":[`;
  let before = '';
  for await (const line of lines) {
    const { key_id, key, day, model, dialect, values, ...figures } = line;
    const metadata = Object.fromEntries(by.map((name, index) => [name, values[index]]));
    const shown = { key_id, key, day, model, dialect, ...(by.length > 0 && { metadata }) };
    yield `${before}${JSON.stringify({ ...shown, ...figures })}`;
    before = ',';
  }
  yield `],"totals":${JSON.stringify(totals())}}`;
};

/** CSV with a head line. @see https://www.rfc-editor.org/rfc/rfc4180 */
export const asCsv: Format = async function* ({ lines }, { by }) {
  const names = by.map((name) => `metadata.${name}`);
  yield [
    ...['key_id', 'key', 'day', 'model', 'dialect', ...names].map(csvCell),
    ...figureNames,
  ].join(',');
  for await (const line of lines) {
    const { key_id, key, day, model, dialect, values } = line;
    const texts = [key_id, key, day, model, dialect, ...values.map((value) => value ?? '')];
    yield [...texts.map(csvCell), ...figuresOf(line)].join(',');
  }
};

/** A table, with the sums as its last line. */
export const asTable: Format = async function* ({ lines, totals }, { days, by }) {
  const rows: string[][] = [];
  for await (const line of lines) {
    const { key_id, key, day, model, dialect, values } = line;
    const tags = values.map((value) => (value === null ? '-' : printable(value)));
    rows.push([key_id, printable(key), day, model, dialect || '-', ...tags, ...figuresOf(line)]);
  }
  if (rows.length === 0) {
    yield `No charges from ${days.from} to ${days.to}.`;
    return;
  }
  const head = ['key_id', 'key', 'day', 'model', 'dialect', ...by.map(printable), ...figureNames];
  const total = ['total', '', '', '', '', ...by.map(() => ''), ...figuresOf(totals())];
  yield aligned([head, ...rows, total]);
};

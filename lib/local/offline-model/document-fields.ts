import { type Message, textOf } from './chat-request.ts';
import type { JsonSchema } from './json-schema.ts';

type Value = string | number | null;

/** A value that stands behind its field's name, with what proves it. Nulls where it stands nowhere. */
export interface LabelledValue {
  value: Value;
  quote: string | null;
  page: number | null;
}

/** A row of a table, its cells by the names of the columns, with the line that it stands on. */
export interface TableRow {
  cells: Record<string, Value>;
  quote: string;
  page: number;
}

/** The pages of a document that a chat shows, each in an element with its number. */
const pagesIn = (messages: readonly Message[]) =>
  messages
    .flatMap((message) => [
      ...textOf(message).matchAll(/<page number="(\d+)">\n([\s\S]*?)\n<\/page>/g),
    ])
    .map(([, page, text = '']) => ({ page: Number(page), text }));

/** The words of a field's name, to be found in any joining: `invoice_number` in `Invoice number`. */
const labelOf = (name: string) =>
  (name.match(/\p{Lu}?\p{Ll}+|\p{Lu}+|\d+/gu) ?? []).join('[\\s_.-]*');

/** Finds the text behind a field's name on a page: `Total: 12.50` for `total`, `Invoice number 17` for `invoice_number`. */
export function labelledValue(
  messages: readonly Message[],
  name: string,
  schema: JsonSchema,
): LabelledValue {
  const label = labelOf(name);
  const told = isOf(schema, /number|integer/) ? '(-?\\d[\\d.,]*\\d|\\d)' : '([^\\s|][^\\n|]{0,60})';
  const line = new RegExp(`\\b${label}\\b[\\s:.|#$€£]{1,4}${told}`, 'iu');
  for (const { page, text } of label ? pagesIn(messages) : []) {
    const [quote, found = ''] = text.match(line) ?? [];
    const value = readCell(found, schema);
    if (quote !== undefined && value !== null) return { value, quote: quote.trim(), page };
  }
  return { value: null, quote: null, page: null };
}

/** Finds the rows under a line that has the names of two columns at least, or of the only one. */
export function tableRows(
  messages: readonly Message[],
  columns: Record<string, JsonSchema>,
): TableRow[] {
  const labels = Object.keys(columns).map(
    (name) => [name, new RegExp(`\\b${labelOf(name)}\\b`, 'iu')] as const,
  );
  return pagesIn(messages).flatMap(({ page, text }) => {
    let heads: Map<string, number> | undefined;
    return text.split('\n').flatMap((quote): TableRow[] => {
      const cells = cellsOf(quote);
      const named = new Map(
        labels.map(([name, label]) => [name, cells.findIndex((cell) => label.test(cell))]),
      );
      const found = [...named.values()].filter((at) => at >= 0).length;
      if (cells.length > 1 && found >= Math.min(2, labels.length)) heads = named;
      else if (cells.every((cell) => /^-+$/.test(cell))) return [];
      else if (!heads || cells.length < 2 || !cells[Math.max(0, ...firstOf(heads))])
        heads = undefined;
      else return [{ cells: rowOf(cells, heads, columns), quote, page }];
      return [];
    });
  });
}

const firstOf = (heads: Map<string, number>) =>
  [...heads.values()].filter((at) => at >= 0).slice(0, 1);

/** The cells of a line of a Markdown table, or of one that tabs part. */
const cellsOf = (line: string) =>
  (line.startsWith('|') ? line.replace(/^\||\|$/g, '').split('|') : line.split('\t')).map((cell) =>
    cell.trim(),
  );

const rowOf = (
  cells: string[],
  heads: Map<string, number>,
  columns: Record<string, JsonSchema>,
): Record<string, Value> =>
  Object.fromEntries(
    [...heads].map(([name, at]) => [name, readCell(cells[at] ?? '', columns[name] ?? {})]),
  );

const isOf = ({ type }: JsonSchema, kind: RegExp) => kind.test(String(type));

/** Reads a text as a schema wants it; null if it can't be read so. */
function readCell(text: string, schema: JsonSchema): Value {
  const trimmed = text.trim();
  if (isOf(schema, /number|integer/)) {
    const number = Number(trimmed.replaceAll(',', '').replace(/^[$€£]/, '') || Number.NaN);
    return Number.isFinite(number) ? number : null;
  }
  if (!schema.description?.includes('YYYY-MM-DD')) return trimmed || null;
  const date = new Date(`${trimmed} UTC`);
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10);
}

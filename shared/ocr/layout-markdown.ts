import { type Box, sharedWidth, widthOf } from '../documents/box.ts';
import { columnsAmong } from '../documents/rows.ts';
import { tableRow, tableRule } from '../documents/table-row.ts';
import type { TextLine } from './blocks.ts';
import type { TextElement } from './layout-elements.ts';
import type { Row } from './layout-rows.ts';

/** Writes a page's elements as Markdown, with a blank line between them. */
export function toMarkdown(elements: readonly TextElement[]): string {
  const hyphenated = hyphenatedWords(elements);
  return elements
    .map((element) => elementMarkdown(element, hyphenated))
    .filter(Boolean)
    .join('\n\n');
}

function elementMarkdown(
  { kind, rows, items, table }: TextElement,
  hyphenated: ReadonlySet<string>,
): string {
  const joined = (some: Row<TextLine>[]) => joinLines(some.map(rowText), hyphenated);
  if (table) return tableMarkdown(table.rows);
  switch (kind) {
    case 'TITLE':
      return `# ${joined(rows)}`;
    case 'SECTION_HEADER':
      return `## ${joined(rows)}`;
    case 'LIST':
      return (items ?? rows.map((row) => [row]))
        .map((item) => itemMarkdown(joined(item)))
        .join('\n');
    case 'TABLE': {
      const grid = gridOf(rows);
      return grid ? tableMarkdown(grid) : rows.map(rowText).join('\n');
    }
    case 'KEY_VALUE':
    case 'FIGURE':
      return rows.map(rowText).join('\n');
    default:
      return escapeStart(isProse(rows) ? joined(rows) : rows.map(rowText).join('\n'));
  }
}

const rowText = (row: Row<TextLine>) => row.map(({ text }) => text).join(' ');

/** Whether rows are running text. Lines side by side aren't, nor are many short ones, such as an address. */
function isProse(rows: Row<TextLine>[]): boolean {
  if (rows.some((row) => row.length > 1)) return false;
  const widths = rows.flatMap((row) => row.map(({ box }) => widthOf(box)));
  const full = 0.75 * Math.max(...widths);
  const short = widths.slice(0, -1).filter((width) => width < full);
  return short.length === 0 || short.length < (widths.length - 1) / 2;
}

const bullet = /^[•●○▪■◦‣∙·*–—-]\s+/;
const ordinal = /^\(?(\d{1,3})[.)]\s+/;

function itemMarkdown(text: string): string {
  const number = ordinal.exec(text);
  if (number) return `${number[1]}. ${text.slice(number[0].length)}`;
  return `- ${text.replace(bullet, '')}`;
}

/** Writes a table from its first row with text, which becomes the heading that Markdown requires. */
function tableMarkdown(rows: readonly string[][]): string {
  const start = rows.findIndex((row) => row.some(Boolean));
  const [first = [], ...rest] = rows.slice(start);
  return [tableRow(first), tableRule(first.length), ...rest.map(tableRow)].join('\n');
}

/** Escapes a sign that would make a paragraph a heading or a quotation. */
const escapeStart = (text: string) => text.replace(/^(#|>)/, '\\$1');

/** Returns the words that have a hyphen within a line of the page, in small letters. */
function hyphenatedWords(elements: readonly TextElement[]): Set<string> {
  const texts = elements.flatMap(({ rows }) => rows.map(rowText));
  return new Set(
    texts.flatMap((text) => text.toLowerCase().match(/(?<!\p{L})\p{L}+(?:-\p{L}+)+/gu) ?? []),
  );
}

/** Prefixes that keep their hyphen before the rest of a word. */
const prefix = /(^|[^\p{L}])(self|non|ex|well|half|cross|all|co|pre)-$/iu;

/** Only the end of a text is looked at, so that many lines take no longer than their letters. */
const maxWordLength = 200;

/** Joins a paragraph's lines. A parted word loses its hyphen, unless a prefix, `hyphenated` or a capital keeps it. */
function joinLines(lines: readonly string[], hyphenated: ReadonlySet<string>): string {
  return lines.reduce((text, line) => {
    if (!text) return line;
    const tail = text.slice(-maxWordLength);
    const [, start] = /(?<!\p{L})(\p{L}+)[-\u00ad\u2010¬]$/u.exec(tail) ?? [];
    if (start === undefined)
      return /\d-$/.test(tail) && /^\d/.test(line) ? text + line : `${text} ${line}`;

    const [end = ''] = /^\p{L}*/u.exec(line) ?? [];
    const whole = text.slice(0, -1);
    if (!/^\p{L}/u.test(line)) return `${text} ${line}`;
    const keepsHyphen =
      /^\p{Lu}/u.test(line) || prefix.test(tail) || hyphenated.has(`${start}-${end}`.toLowerCase());
    return keepsHyphen ? `${whole}-${line}` : whole + line;
  }, '');
}

/** Makes a table of rows of lines, by the spans that they share. Undefined for one row or column. */
function gridOf(rows: readonly Row<TextLine>[]): string[][] | undefined {
  const maxPieces = Math.max(...rows.map((row) => row.length));
  const full = rows.filter((row) => row.length > maxPieces / 2);
  const columns = columnsAmong(full.flat().map(({ box }) => box));
  if (columns.length < 2 || rows.length < 2) return undefined;
  return rows.map((row) => {
    const cells = columns.map((): string[] => []);
    for (const { box, text } of row) cells[columnFor(box, columns)]?.push(text);
    return cells.map((texts) => texts.join(' '));
  });
}

/** Returns the index of the first column with 0.3 of a box's width, or else of the one with most of it. */
function columnFor(box: Box, columns: readonly Box[]): number {
  const maxWidth = Math.max(...columns.map((column) => sharedWidth(column, box)));
  const enough = Math.min(maxWidth, 0.3 * widthOf(box));
  return columns.findIndex((column) => sharedWidth(column, box) >= enough);
}

import { tableRow, tableRule } from './table-row.ts';
import { type Warning, warnings } from './warnings.ts';

/** A piece of a document. */
export type Block =
  | { paragraph: string }
  | { heading: string; level: number }
  | { item: string; depth: number; marker: string }
  | { code: string }
  /** The first row is the table's head. */
  | { table: string[][] };

/** What stands before a block, and before its lines. */
export interface Margin {
  separator: string;
  first: string;
  rest: string;
}

/** Is thrown once a text is as long as it may be. */
class TextIsFull extends Error {}

/** Small pieces take several times their characters in memory, so this many are joined into one. */
const maxPieces = 1_000;

/** Returns what `write` adds, up to a number of characters, and what it warns of, which is put into `warned` too. */
export function markdownUpTo(
  maxCharacters: number,
  write: (markdown: Markdown) => void,
  warned?: Set<Warning>,
): string {
  const markdown = new Markdown(maxCharacters, warned);
  try {
    write(markdown);
    for (const warning of markdown.warnings) markdown.add({ paragraph: `[${warnings[warning]}]` });
  } catch (error) {
    if (!(error instanceof TextIsFull)) throw error;
  }
  return markdown.toString();
}

/** A document's text, written block by block as Markdown, up to a number of characters. */
export class Markdown {
  /** How many characters may still be added. */
  room: number;
  /** The kinds of content that the text lacks, or that were guessed. */
  readonly warnings: Set<Warning>;
  private text = '';
  private pieces: string[] = [];
  private isEmpty = true;
  private endsWithItem = false;

  constructor(maxCharacters: number, warnings = new Set<Warning>()) {
    this.room = maxCharacters;
    this.warnings = warnings;
  }

  toString(): string {
    return this.text + this.pieces.join('');
  }

  /** Adds a block; one without text is left out. Throws `TextIsFull` after the last character that fits. */
  add(block: Block, margin?: Margin): void {
    const isItem = 'item' in block;
    const apart = isItem && this.endsWithItem ? '\n' : '\n\n';
    const { separator, first, rest } = margin ?? { separator: apart, first: '', rest: '' };
    let start = this.isEmpty ? first : separator + first;
    for (const line of linesOf(block)) {
      this.write(start + line);
      this.endsWithItem = isItem;
      start = `\n${rest}`;
    }
  }

  private write(text: string): void {
    const { room } = this;
    this.pieces.push(text.slice(0, room));
    this.isEmpty = false;
    this.room = Math.max(0, room - text.length);
    if (this.pieces.length === maxPieces) {
      this.text += this.pieces.join('');
      this.pieces = [];
    }
    if (text.length > room) throw new TextIsFull();
  }
}

function linesOf(block: Block): Iterable<string> {
  if ('table' in block) return tableLines(block.table);
  if ('paragraph' in block) return nonEmpty(block.paragraph.trim());
  if ('code' in block) return codeLines(block.code);
  if ('heading' in block) {
    const text = oneLine(block.heading);
    return nonEmpty(text && `${'#'.repeat(between(1, block.level, 6))} ${text}`);
  }
  const text = oneLine(block.item);
  return nonEmpty(text && `${'  '.repeat(between(0, block.depth, 8))}${block.marker} ${text}`);
}

/** Yields preformatted text between fences, which are longer than any run of backticks within. */
function* codeLines(text: string): Generator<string> {
  const code = `${text.replace(/^\n+/, '').trimEnd()}\n`;
  let longest = 2;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  if (code === '\n') return;
  yield fence;
  for (let start = 0, end = 0; start < code.length; start = end + 1) {
    end = code.indexOf('\n', start);
    yield code.slice(start, end);
  }
  yield fence;
}

/** Yields the lines of a table, without its empty columns. A table of one column becomes lines. */
function* tableLines(table: string[][]): Generator<string> {
  const columns = usedColumns(table);
  for (const [index, row] of table.entries()) {
    const cells = columns.map((column) => row[column] ?? '');
    if (columns.length === 1) yield* cells.map(oneLine);
    else yield tableRow(cells);
    if (index === 0 && columns.length > 1) yield tableRule(columns.length);
  }
}

/** Returns the columns that hold a cell. Rows are not copied: one may stand for many, and be a sheet wide. */
function usedColumns(table: string[][]): number[] {
  const used = new Set<string>();
  let before: string[] | undefined;
  for (const row of table) {
    if (row !== before) for (const column of Object.keys(row)) used.add(column);
    before = row;
  }
  return [...used].map(Number).sort((one, other) => one - other);
}

const nonEmpty = (text: string) => (text ? [text] : []);
const between = (least: number, number: number, most: number) =>
  Math.min(Math.max(least, number), most);
/** Returns a text with one space wherever it has some, or ends a line. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

import { inOneLine, markdownTable } from '../markdown-table.ts';

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

/** A text is indented in pieces of so many characters, as it may consist of line breaks. */
const pieceCharacters = 100_000;

/** Returns what `write` adds, up to a number of characters. */
export function markdownUpTo(maxCharacters: number, write: (markdown: Markdown) => void): string {
  const markdown = new Markdown(maxCharacters);
  try {
    write(markdown);
  } catch (error) {
    if (!(error instanceof TextIsFull)) throw error;
  }
  return markdown.toString();
}

/** A document's text, written block by block as Markdown, up to a number of characters. */
export class Markdown {
  private readonly maxCharacters: number;
  private readonly pieces: string[] = [];
  private characters = 0;
  private endsWithItem = false;

  constructor(maxCharacters: number) {
    this.maxCharacters = maxCharacters;
  }

  /** How many characters may still be added. */
  get room(): number {
    return this.maxCharacters - this.characters;
  }

  toString(): string {
    return this.pieces.join('');
  }

  /** Adds a block; one without text is left out. Throws `TextIsFull` after the last character that fits. */
  add(block: Block, margin?: Margin): void {
    const isItem = 'item' in block;
    const apart = isItem && this.endsWithItem ? '\n' : '\n\n';
    let { separator, first, rest } = margin ?? { separator: apart, first: '', rest: '' };
    for (const line of linesOf(block)) {
      const start = this.pieces.length === 0 ? first : separator + first;
      if (rest === '') this.write(start + line);
      else this.writeIndented(start, line, rest);
      this.endsWithItem = isItem;
      separator = '\n';
      first = rest;
    }
  }

  private writeIndented(start: string, text: string, indent: string): void {
    this.write(start);
    for (let at = 0; at < text.length; at += pieceCharacters) {
      const piece = text.slice(at, at + pieceCharacters);
      this.write(piece.replaceAll('\n', `\n${indent}`));
    }
  }

  private write(text: string): void {
    const piece = text.slice(0, this.room);
    this.pieces.push(piece);
    this.characters += piece.length;
    if (piece.length < text.length) throw new TextIsFull();
  }
}

function linesOf(block: Block): Iterable<string> {
  if ('table' in block) return tableLines(block.table);
  if ('paragraph' in block) return nonEmpty(block.paragraph.trim());
  if ('code' in block) return codeLines(block.code);
  if ('heading' in block) {
    const text = inOneLine(block.heading);
    return nonEmpty(text && `${'#'.repeat(between(1, block.level, 6))} ${text}`);
  }
  const text = inOneLine(block.item);
  return nonEmpty(text && `${'  '.repeat(between(0, block.depth, 8))}${block.marker} ${text}`);
}

/** Returns preformatted text between fences, which are longer than any run of backticks within. */
function codeLines(text: string): string[] {
  const code = text.replace(/^\n+/, '').trimEnd();
  let longest = 2;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return code ? [fence, code, fence] : [];
}

/** Yields the lines of a table, without its empty columns. A table of one column becomes lines. */
function* tableLines(table: string[][]): Generator<string> {
  const columns = usedColumns(table);
  const rows = cellsIn(table, columns);
  if (columns.length > 1) yield* markdownTable(rows);
  else for (const [cell = ''] of rows) yield inOneLine(cell);
}

function* cellsIn(table: string[][], columns: number[]): Generator<string[]> {
  for (const row of table) yield columns.map((column) => row[column] ?? '');
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

import { tableRow, tableRule } from '../table-row.ts';

/** A piece of a document. */
export type Block =
  | { paragraph: string }
  | { heading: string; level: number }
  | { item: string; depth: number; marker: string }
  /** The first row is the table's head. */
  | { table: string[][] };

/** Is thrown once a text is as long as it may be. */
export class TextIsFull extends Error {}

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
  add(block: Block): void {
    const isItem = 'item' in block;
    const lines = linesOf(block);
    let separator = isItem && this.endsWithItem ? '\n' : '\n\n';
    for (const line of lines) {
      this.write(this.pieces.length === 0 ? line : `${separator}${line}`);
      this.endsWithItem = isItem;
      separator = '\n';
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
  if ('heading' in block) {
    const text = oneLine(block.heading);
    return nonEmpty(text && `${'#'.repeat(between(1, block.level, 6))} ${text}`);
  }
  const text = oneLine(block.item);
  return nonEmpty(text && `${'  '.repeat(between(0, block.depth, 8))}${block.marker} ${text}`);
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
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

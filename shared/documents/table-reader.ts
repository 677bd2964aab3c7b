import { unreadableDocument } from './errors.ts';

interface OpenTable {
  rows: string[][];
  row: string[];
  /** The texts of the open cell. */
  cell: string[] | undefined;
  /** The column that the next cell stands in, from 0. */
  column: number;
  columns: number;
  /** How many rows have ended, empty ones too. */
  rowsBefore: number;
  /** For each column that a cell reaches down in, the first row where it is free again. */
  freeFrom: number[];
}

/** A row or cell may stand for many. More than this is formatting that reaches to the sheet's end. */
const maxRepeats = 1_000;
/** The columns of the widest sheet. */
const maxColumns = 16_384;
/** How many columns a cell may span. Beyond this column no cell reaches down. */
const maxReach = 100;
/** How many columns all cells of a table may leave empty by what they span: an empty one takes memory too. */
const maxSpanned = 1_000_000;
/** The rows of the longest sheet. One takes memory however little stands in it. */
const maxRows = 1_048_576;
/** What stands between two cells in Markdown. */
const separatorCharacters = 3;

/**
 * Collects tables' cells as they are read, with holes for empty ones. A table within a cell becomes text. Throws 422
 * for more rows than any sheet has.
 */
export class TableReader {
  private readonly open: OpenTable[] = [];
  /** How many characters may still be collected; rows and cells count as well. What is beyond is left out. */
  private room = 0;
  private spannable = maxSpanned;
  private rows = 0;

  /** Begins a table. `room` is how many characters of it can be used; it counts for the outermost table. */
  openTable(room: number): void {
    if (this.open.length === 0) Object.assign(this, { room, spannable: maxSpanned, rows: 0 });
    this.open.push({
      rows: [],
      row: [],
      cell: undefined,
      column: 0,
      columns: 1,
      rowsBefore: 0,
      freeFrom: [],
    });
  }

  /** Whether the open table has no second column in the row before, and none so far in its own. */
  get isOneColumn(): boolean {
    const { table } = this;
    return table?.column === 0 && (table.rows.at(-1)?.length ?? 0) <= 1;
  }

  /** Begins a row. One that is open ends. */
  openRow(): void {
    const { table } = this;
    if (table?.cell || table?.row.length) this.closeRow();
    else if (table) table.column = 0;
  }

  /** Begins a cell in the next column, or in the given one. One that is open ends. */
  openCell(column?: number): void {
    this.closeCell();
    const { table } = this;
    if (!table) return;
    table.cell = [];
    table.columns = 1;
    table.column = column ?? table.column;
  }

  /** Has the open cell span a number of columns and rows. Moves it right of cells that reach down from rows above. */
  reach(columns: number, rows: number): void {
    const { table } = this;
    if (!table?.cell) return;
    while ((table.freeFrom[table.column] ?? 0) > table.rowsBefore && this.spannable > 0) {
      table.column += 1;
      this.spannable -= 1;
    }
    table.columns = Math.min(columns, maxReach, this.spannable + 1);
    this.spannable -= table.columns - 1;
    const end = rows > 1 ? Math.min(table.column + columns, maxReach) : 0;
    for (let column = table.column; column < end; column++) {
      table.freeFrom[column] = table.rowsBefore + rows;
    }
  }

  /** Ends a group of rows. No cell reaches beyond it. */
  closeRowGroup(): void {
    this.closeRow();
    Object.assign(this.table ?? {}, { freeFrom: [] });
  }

  /** Adds text to the open cell. Returns false if none is open. */
  addText(text: string): boolean {
    const cell = this.table?.cell;
    if (cell && this.take(text.length)) cell.push(text);
    return cell !== undefined;
  }

  /** Ends a cell, which reaches over `columns`. If `isRepeated`, its text stands in each of them. */
  closeCell(columns = this.table?.columns ?? 1, isRepeated = false): void {
    const { table } = this;
    if (!table?.cell) return;
    const text = table.cell.join(' ').trim();
    const copies = isRepeated ? Math.min(columns, maxRepeats) : 1;
    if (text) this.put(table, table.column, text);
    for (let n = 1; text && n < copies && this.take(text.length); n++) {
      this.put(table, table.column + n, text);
    }
    table.column += columns;
    table.cell = undefined;
  }

  /** Ends a row, which repeats the given number of times. */
  closeRow(repeats = 1): void {
    this.closeCell();
    const { table } = this;
    if (!table) return;
    const { row } = table;
    Object.assign(table, { row: [], column: 0, rowsBefore: table.rowsBefore + 1 });
    if (row.length === 0) return;
    this.addRow(table, row);
    for (let n = 1; n < Math.min(repeats, maxRepeats) && this.take(row.length); n++) {
      this.addRow(table, row);
    }
  }

  /** Ends a table, with a row that is open. Returns its rows if it is the outermost. */
  closeTable(): string[][] | undefined {
    this.closeRow();
    const rows = this.open.pop()?.rows;
    if (!this.table) return rows;
    for (const row of rows ?? []) this.addText(row.filter(Boolean).join(' '));
    return undefined;
  }

  private get table(): OpenTable | undefined {
    return this.open.at(-1);
  }

  private put({ row }: OpenTable, column: number, text: string): void {
    if (row.length > 0) this.room -= separatorCharacters;
    if (column < maxColumns) row[column] = text;
  }

  private addRow({ rows }: OpenTable, row: string[]): void {
    this.rows += 1;
    if (this.rows > maxRows)
      throw unreadableDocument(`a table of it has more than ${maxRows} rows`);
    rows.push(row);
  }

  /** Returns whether there was room left. What was taken last may go beyond it. */
  private take(characters: number): boolean {
    if (this.room <= 0) return false;
    this.room -= characters;
    return true;
  }
}

import { type Block, type Markdown, oneLine } from '../markdown.ts';
import { TableReader } from '../table-reader.ts';
import type { Archive } from './archive.ts';
import { relationshipId, shownBy, textsOf } from './drawings.ts';
import { mainPartOf, partWhere, type Relationship, relationshipsOf } from './relationships.ts';
import { type NumberStyle, numberText, readNumberStyles } from './xlsx-numbers.ts';
import { type Attributes, attribute, type PartHandler, readPart } from './xml.ts';

/** What the cells of all sheets refer to. */
interface Workbook {
  strings: string[];
  styles: ReadonlyMap<number, NumberStyle>;
  from1904: boolean;
}

/** Writes the sheets of an Excel file that are shown, each as a table under its name, with its comments and drawings. */
export function readXlsx(archive: Archive, markdown: Markdown): void {
  const main = mainPartOf(archive, 'xl/workbook.xml');
  const relationships = relationshipsOf(archive, main);
  const { sheets, from1904 } = readWorkbook(archive, main);
  const partOf = (wanted: string) =>
    partWhere(archive, relationships, ({ type }) => type === wanted);
  const [strings, styles] = [partOf('sharedStrings'), partOf('styles')];
  const workbook: Workbook = {
    strings: strings ? readStrings(archive, strings) : [],
    styles: styles ? readNumberStyles(archive, styles) : new Map(),
    from1904,
  };
  for (const { name, id, isHidden } of sheets) {
    const sheet = relationships.find(
      (each) => each.id === id && ['worksheet', 'chartsheet'].includes(each.type),
    );
    if (!sheet || !archive.has(sheet.part)) continue;
    if (isHidden) markdown.warnings.add('hidden_left_out');
    else readSheet(archive, sheet, name, workbook, markdown);
  }
}

function readSheet(
  archive: Archive,
  { part, type }: Relationship,
  name: string,
  workbook: Workbook,
  markdown: Markdown,
): void {
  markdown.add({ heading: `Sheet: ${name}`, level: 2 });
  if (type === 'worksheet') {
    const reader = new SheetReader(workbook, markdown);
    readPart(archive, part, reader);
    markdown.add({ table: reader.rows });
  }
  for (const { type, part: other } of relationshipsOf(archive, part)) {
    if (!archive.has(other)) continue;
    if (type === 'comments') for (const block of commentsOf(archive, other)) markdown.add(block);
    if (type !== 'drawing') continue;
    const relationships = relationshipsOf(archive, other);
    const blocks = textsOf(archive, other, 'wsDr', (element, attributes) =>
      shownBy(archive, relationships, element, attributes),
    );
    for (const block of blocks) markdown.add(block);
  }
}

/** Returns the comments on a sheet's cells. */
function commentsOf(archive: Archive, part: string): Block[] {
  const blocks: Block[] = [];
  let [cell, text] = ['', ''];
  readPart(archive, part, {
    root: 'comments',
    skipped: phonetic,
    open: (name, attributes) => {
      if (name === 'comment') [cell, text] = [attribute(attributes, 'ref') ?? '', ''];
    },
    text: (piece, within) => {
      if (within === 't') text += piece;
    },
    close: (name) => {
      if (name === 'comment') blocks.push({ paragraph: `[Comment on ${cell}: ${oneLine(text)}]` });
    },
  });
  return blocks;
}

function readWorkbook(archive: Archive, main: string) {
  const sheets: { name: string; id: string; isHidden: boolean }[] = [];
  let from1904 = false;
  readPart(archive, main, {
    root: 'workbook',
    open: (name, attributes) => {
      if (name === 'workbookPr') from1904 = isTrue(attribute(attributes, 'date1904'));
      if (name !== 'sheet') return;
      const id = relationshipId(attributes);
      const isHidden = /hidden/i.test(attribute(attributes, 'state') ?? '');
      sheets.push({ name: attribute(attributes, 'name') ?? '', id, isHidden });
    },
  });
  return { sheets, from1904 };
}

const isTrue = (value: string | undefined) => value === '1' || value === 'true';

/** Readings of words stand beside them; they aren't part of the text. */
const phonetic = new Set(['rPh']);

function readStrings(archive: Archive, part: string): string[] {
  const strings: string[] = [];
  let text = '';
  readPart(archive, part, {
    root: 'sst',
    skipped: phonetic,
    open: (name) => {
      if (name === 'si') text = '';
    },
    text: (piece, within) => {
      if (within === 't') text += piece;
    },
    close: (name) => {
      if (name === 'si') strings.push(text);
    },
  });
  return strings;
}

/** A cell of more rows than this is formatting that reaches to the sheet's end. */
const maxMergedRows = 1_000;
const maxMerges = 10_000;

/**
 * Reads a sheet's visible cells: values, or formulas without a kept value. A cell over several rows stands in each.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
class SheetReader implements PartHandler {
  readonly root = 'worksheet';
  readonly skipped = phonetic;
  rows: string[][] = [];
  private readonly workbook: Workbook;
  private readonly markdown: Markdown;
  private readonly table = new TableReader();
  private readonly hiddenColumns: [first: number, last: number][] = [];
  private readonly merges: string[] = [];
  /** The numbers of the rows that have a cell, in their order. */
  private readonly rowNumbers: number[] = [];
  private row = 0;
  private isHiddenRow = false;
  private isFilled = false;
  private column: number | undefined;
  private type = '';
  private style = -1;
  private value = '';
  private formula = '';

  constructor(workbook: Workbook, markdown: Markdown) {
    this.workbook = workbook;
    this.markdown = markdown;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'sheetData') this.table.openTable(this.markdown.room);
    else if (name === 'col') this.openColumns(attributes);
    else if (name === 'row') this.openRow(attributes);
    else if (name === 'c') this.openCell(attributes);
    else if (name === 'mergeCell' && this.merges.length < maxMerges) {
      this.merges.push(attribute(attributes, 'ref') ?? '');
    }
  }

  text(text: string, within: string): void {
    if (within === 'v' || within === 't') this.value += text;
    else if (within === 'f') this.formula += text;
  }

  close(name: string): void {
    if (name === 'c') this.closeCell();
    else if (name === 'row') this.closeRow();
    else if (name === 'sheetData') this.rows = this.table.closeTable() ?? [];
    else if (name === 'worksheet') for (const merge of this.merges) this.fill(merge);
  }

  private openColumns(attributes: Attributes): void {
    if (!isTrue(attribute(attributes, 'hidden'))) return;
    const [first, last] = ['min', 'max'].map((name) => Number(attribute(attributes, name)) - 1);
    this.hiddenColumns.push([first ?? 0, last ?? 0]);
  }

  private openRow(attributes: Attributes): void {
    this.row = Number(attribute(attributes, 'r') ?? this.row + 1);
    this.isHiddenRow = isTrue(attribute(attributes, 'hidden'));
    this.isFilled = false;
    this.table.openRow();
  }

  private closeRow(): void {
    this.table.closeRow();
    if (this.isFilled) this.rowNumbers.push(this.row);
  }

  private openCell(attributes: Attributes): void {
    this.type = attribute(attributes, 't') ?? 'n';
    this.style = Number(attribute(attributes, 's') ?? 0);
    this.value = '';
    this.formula = '';
    this.column = columnOf(attribute(attributes, 'r'));
    this.table.openCell(this.column);
  }

  private closeCell(): void {
    const text = this.shown();
    const { column = -1 } = this;
    const isHidden =
      this.isHiddenRow ||
      this.hiddenColumns.some(([first, last]) => column >= first && column <= last);
    if (text !== '' && isHidden) this.markdown.warnings.add('hidden_left_out');
    else {
      this.table.addText(text);
      this.isFilled ||= text.trim() !== '';
    }
    this.table.closeCell();
  }

  /** Returns a cell's value as the sheet shows it. */
  private shown(): string {
    const { value, type, workbook, formula } = this;
    if (value === '' && formula !== '') {
      this.markdown.warnings.add('formula_without_value');
      return `=${formula}`;
    }
    if (type === 's') return workbook.strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (type !== 'n') return value;
    return numberText(value, workbook.styles.get(this.style), workbook.from1904);
  }

  /** Writes a merged cell, such as `A2:A4`, in each of its rows. */
  private fill(merge: string): void {
    const [, first = '', last = ''] = /^[A-Z]{1,3}(\d+):[A-Z]{1,3}(\d+)$/.exec(merge) ?? [];
    const column = columnOf(merge);
    const [from, to] = [this.indexOf(Number(first)), Number(last)];
    const value = this.rows[from]?.[column ?? -1];
    if (column === undefined || value === undefined || to - Number(first) > maxMergedRows) return;
    for (let index = from + 1; (this.rowNumbers[index] ?? Infinity) <= to; index++) {
      const row = this.rows[index];
      if (row) row[column] ??= value;
    }
  }

  private indexOf(number: number): number {
    const { rowNumbers } = this;
    let [low, high] = [0, rowNumbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rowNumbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return rowNumbers[low] === number ? low : -1;
  }
}

/** Returns the column of a cell such as `AB12`, from 0; undefined if the cell doesn't say. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = reference?.match(/^[A-Z]{1,3}/)?.[0];
  if (!letters) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

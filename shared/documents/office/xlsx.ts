import type { Archive } from './archive.ts';
import type { Markdown } from './markdown.ts';
import { mainPartOf, relationshipsOf } from './relationships.ts';
import { TableReader } from './table-reader.ts';
import { numberText, readDayStyles } from './xlsx-numbers.ts';
import { type Attributes, attribute, type PartHandler, readPart } from './xml.ts';

/** What the cells of all sheets refer to. */
interface Workbook {
  strings: string[];
  dayStyles: ReturnType<typeof readDayStyles>;
  from1904: boolean;
}

/** Writes the sheets of an Excel file, each as a table under its name. Hidden sheets are among them. */
export function readXlsx(archive: Archive, markdown: Markdown): void {
  const main = mainPartOf(archive, 'xl/workbook.xml');
  const relationships = relationshipsOf(archive, main);
  const { sheets, from1904 } = readWorkbook(archive, main);
  const partOf = (wanted: string) => {
    const part = relationships.find(({ type }) => type === wanted)?.part;
    return part && archive.has(part) ? part : undefined;
  };
  const [strings, styles] = [partOf('sharedStrings'), partOf('styles')];
  const workbook: Workbook = {
    strings: strings ? readStrings(archive, strings) : [],
    dayStyles: styles ? readDayStyles(archive, styles) : new Map(),
    from1904,
  };
  for (const { name, id } of sheets) {
    const sheet = relationships.find((each) => each.id === id && each.type === 'worksheet');
    if (!sheet) continue;
    markdown.add({ heading: `Sheet: ${name}`, level: 2 });
    const reader = new SheetReader(workbook, markdown.room);
    readPart(archive, sheet.part, reader);
    markdown.add({ table: reader.rows });
  }
}

function readWorkbook(archive: Archive, main: string) {
  const sheets: { name: string; id: string }[] = [];
  let from1904 = false;
  readPart(archive, main, {
    root: 'workbook',
    open: (name, attributes) => {
      if (name === 'workbookPr') from1904 = isTrue(attribute(attributes, 'date1904'));
      if (name !== 'sheet') return;
      const id = attribute(attributes, 'id') ?? '';
      sheets.push({ name: attribute(attributes, 'name') ?? '', id });
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
  let isText = false;
  readPart(archive, part, {
    root: 'sst',
    skipped: phonetic,
    open: (name) => {
      if (name === 'si') text = '';
      isText ||= name === 't';
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      if (name === 't') isText = false;
      if (name === 'si') strings.push(text);
    },
  });
  return strings;
}

/**
 * Reads the cells of a sheet: their values, not the formulas that make them.
 *
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
class SheetReader implements PartHandler {
  readonly root = 'worksheet';
  readonly skipped = phonetic;
  rows: string[][] = [];
  private readonly workbook: Workbook;
  private readonly room: number;
  private readonly table = new TableReader();
  private type = '';
  private style = -1;
  private value = '';
  private isValue = false;

  constructor(workbook: Workbook, room: number) {
    this.workbook = workbook;
    this.room = room;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'sheetData') this.table.openTable(this.room);
    else if (name === 'row') this.table.openRow();
    else if (name === 'c') this.openCell(attributes);
    else if (name === 'v' || name === 't') this.isValue = true;
  }

  text(text: string): void {
    if (this.isValue) this.value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.isValue = false;
    else if (name === 'c') {
      this.table.addText(this.shown());
      this.table.closeCell();
    } else if (name === 'row') this.table.closeRow();
    else if (name === 'sheetData') this.rows = this.table.closeTable() ?? [];
  }

  private openCell(attributes: Attributes): void {
    this.type = attribute(attributes, 't') ?? 'n';
    this.style = Number(attribute(attributes, 's') ?? 0);
    this.value = '';
    this.table.openCell(columnOf(attribute(attributes, 'r')));
  }

  /** Returns a cell's value as the sheet shows it. */
  private shown(): string {
    const { value, type, workbook } = this;
    if (type === 's') return workbook.strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (type !== 'n') return value;
    return numberText(value, workbook.dayStyles.get(this.style), workbook.from1904);
  }
}

/** Returns the column of a cell such as `AB12`, from 0; undefined if the cell doesn't say. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = reference?.match(/^[A-Z]{1,3}/)?.[0];
  if (!letters) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

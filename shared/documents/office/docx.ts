import type { Archive } from './archive.ts';
import {
  type Numberings,
  type ParagraphStyle,
  readNumberings,
  readProperty,
  readStyles,
} from './docx-styles.ts';
import type { Markdown } from './markdown.ts';
import { mainPartOf, relationshipsOf } from './relationships.ts';
import { TableReader } from './table-reader.ts';
import { type Attributes, attribute, type PartHandler, readPart } from './xml.ts';

/** Deleted and moved text, former properties, tab stops, and what older programs show in place of something. */
const skipped = new Set([
  ...['del', 'moveFrom', 'pPrChange', 'rPrChange', 'tblPrChange', 'sectPrChange'],
  ...['tabs', 'Fallback'],
]);

/** Writes the text of a Word file: headings, lists, tables, and after them the footnotes and endnotes. */
export function readDocx(archive: Archive, markdown: Markdown): void {
  const main = mainPartOf(archive, 'word/document.xml');
  const relationships = relationshipsOf(archive, main);
  const styleOf = readStyles(archive, relationships);
  const numberings = readNumberings(archive, relationships);
  readPart(archive, main, new DocxReader('document', markdown, styleOf, numberings));
  for (const type of ['footnotes', 'endnotes']) {
    const notes = relationships.find((relationship) => relationship.type === type);
    if (!notes || !archive.has(notes.part)) continue;
    readPart(archive, notes.part, new DocxReader(type, markdown, styleOf, numberings));
  }
}

/** The columns of Word's widest table. */
const maxColumns = 63;

interface Paragraph extends ParagraphStyle {
  text: string;
}

interface Note {
  label: string;
  /** Whether it is the line that parts notes from text. */
  isSeparator: boolean;
  texts: string[];
}

/**
 * Reads the body of a Word file, or its notes.
 *
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
class DocxReader implements PartHandler {
  readonly skipped = skipped;
  readonly root: string;
  private readonly markdown: Markdown;
  private readonly styleOf: (id: string) => ParagraphStyle;
  private readonly numberings: Numberings;
  private readonly tables = new TableReader();
  /** The open paragraphs: one within another stands in a text box. */
  private readonly paragraphs: Paragraph[] = [];
  /** For each list, the last number at each depth. */
  private readonly numbers = new Map<string, number[]>();
  /** How many columns the open cell reaches over. */
  private span = 1;
  private note: Note | undefined;
  private isText = false;

  constructor(
    root: string,
    markdown: Markdown,
    styleOf: (id: string) => ParagraphStyle,
    numberings: Numberings,
  ) {
    this.root = root;
    this.markdown = markdown;
    this.styleOf = styleOf;
    this.numberings = numberings;
  }

  open(name: string, attributes: Attributes): void {
    const paragraph = this.paragraphs.at(-1);
    const value = attribute(attributes, 'val');
    if (name === 't') this.isText = true;
    else if (name === 'p') this.paragraphs.push({ text: '' });
    else if (name === 'tbl') this.tables.openTable(this.markdown.room);
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') this.openCell();
    else if (name === 'gridSpan') this.span = spanOf(value);
    else if (name === 'footnote' || name === 'endnote') this.openNote(name, attributes);
    else if (paragraph) this.openInParagraph(paragraph, name, attributes, value);
  }

  text(text: string): void {
    const paragraph = this.paragraphs.at(-1);
    if (this.isText && paragraph) paragraph.text += text;
  }

  close(name: string): void {
    if (name === 't') this.isText = false;
    else if (name === 'p') this.closeParagraph();
    else if (name === 'tc') this.tables.closeCell(this.span);
    else if (name === 'tr') this.tables.closeRow();
    else if (name === 'tbl') this.closeTable();
    else if (name === 'footnote' || name === 'endnote') this.closeNote();
  }

  private openInParagraph(
    paragraph: Paragraph,
    name: string,
    attributes: Attributes,
    value: string | undefined,
  ): void {
    if (name === 'tab') paragraph.text += ' ';
    else if (name === 'br' || name === 'cr') paragraph.text += '\n';
    else if (name === 'noBreakHyphen') paragraph.text += '-';
    // The style comes first among a paragraph's properties.
    else if (name === 'pStyle') Object.assign(paragraph, this.styleOf(value ?? ''));
    else if (name === 'footnoteReference' || name === 'endnoteReference') {
      paragraph.text += `[^${labelOf(name, attributes)}]`;
    } else readProperty(paragraph, name, value);
  }

  private openCell(): void {
    this.span = 1;
    this.tables.openCell();
  }

  private closeParagraph(): void {
    const paragraph = this.paragraphs.pop();
    const text = paragraph?.text.trim();
    if (!paragraph || !text) return;
    if (this.tables.addText(text)) return;
    if (this.note) this.note.texts.push(text);
    else if (paragraph.outlineLevel !== undefined) {
      this.markdown.add({ heading: text, level: paragraph.outlineLevel + 1 });
    } else this.addText(text, paragraph);
  }

  private addText(text: string, { numberingId = '0', depth = 0 }: ParagraphStyle): void {
    if (numberingId === '0') this.markdown.add({ paragraph: text });
    else this.markdown.add({ item: text, depth, marker: this.markerOf(numberingId, depth) });
  }

  private markerOf(numberingId: string, depth: number): string {
    if (!this.numberings.get(numberingId)?.[depth]) return '-';
    const numbers = (this.numbers.get(numberingId) ?? []).slice(0, depth + 1);
    numbers[depth] = (numbers[depth] ?? 0) + 1;
    this.numbers.set(numberingId, numbers);
    return `${numbers[depth]}.`;
  }

  private closeTable(): void {
    const table = this.tables.closeTable();
    if (!table) return;
    const { note } = this;
    if (note) for (const row of table) note.texts.push(row.filter(Boolean).join(' '));
    else this.markdown.add({ table });
  }

  private openNote(name: string, attributes: Attributes): void {
    const isSeparator = attribute(attributes, 'type') !== undefined;
    this.note = { label: labelOf(name, attributes), isSeparator, texts: [] };
  }

  private closeNote(): void {
    const { note } = this;
    this.note = undefined;
    if (!note || note.isSeparator || note.texts.length === 0) return;
    this.markdown.add({ paragraph: `[^${note.label}]: ${note.texts.join(' ')}` });
  }
}

/** Returns how many columns a cell reaches over. What can be none would put the cells after it out of the table. */
function spanOf(value: string | undefined): number {
  const span = Number(value);
  return Number.isInteger(span) && span >= 1 && span <= maxColumns ? span : 1;
}

/** Returns what a note and the reference to it are called. Footnotes and endnotes are counted separately. */
function labelOf(name: string, attributes: Attributes): string {
  return `${name.startsWith('endnote') ? 'e' : ''}${attribute(attributes, 'id') ?? ''}`;
}

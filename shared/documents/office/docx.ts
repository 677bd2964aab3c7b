import { decodeHtml, htmlText } from '../html-text.ts';
import { inPosition, letterOf } from '../letters.ts';
import { type Block, Markdown } from '../markdown.ts';
import { readRtf } from '../rtf-text.ts';
import { TableReader } from '../table-reader.ts';
import { decodeText } from '../text.ts';
import type { Archive } from './archive.ts';
import { Numberings } from './docx-numbering.ts';
import { type ParagraphStyle, readProperty, readStyles } from './docx-styles.ts';
import { relationshipId, shownBy } from './drawings.ts';
import { Equation } from './equations.ts';
import { mainPartOf, partWhere, type Relationship, relationshipsOf } from './relationships.ts';
import { type Attributes, attribute, type PartHandler, readPart } from './xml.ts';

/** Deleted and moved text, former properties, tab stops, and what older programs show in place of something. */
const skipped = new Set([
  ...['del', 'moveFrom', 'pPrChange', 'rPrChange', 'tblPrChange', 'sectPrChange'],
  ...['tabs', 'Fallback'],
]);

/** How deep included documents may be nested. */
const maxChunkDepth = 3;

/** Writes a Word file's text: heads of pages, body, feet, then notes and comments. What repeats is written once. */
export function readDocx(archive: Archive, markdown: Markdown, depth = 0): void {
  const main = mainPartOf(archive, 'word/document.xml');
  const relationships = relationshipsOf(archive, main);
  const styleOf = readStyles(archive, relationships);
  const numberings = new Numberings(archive, relationships);
  const read = (part: string, root: string, into = markdown) => {
    const own = part === main ? relationships : relationshipsOf(archive, part);
    const shown = (name: string, attributes: Attributes) =>
      name === 'altChunk'
        ? readChunk(archive, own, relationshipId(attributes), into, depth)
        : shownBy(archive, own, name, attributes);
    readPart(archive, part, new DocxReader(root, into, { styleOf, numberings, shown }));
  };
  const partsOf = (wanted: string) =>
    relationships.filter(({ type, part }) => type === wanted && archive.has(part));
  const readEdges = (type: string, root: string) => {
    const texts = new Set<string>();
    for (const { part } of partsOf(type)) {
      const edge = new Markdown(markdown.room, markdown.warnings);
      read(part, root, edge);
      texts.add(edge.toString());
    }
    for (const text of texts) if (/\p{L}/u.test(text)) markdown.add({ paragraph: text });
  };
  readEdges('header', 'hdr');
  read(main, 'document');
  readEdges('footer', 'ftr');
  for (const type of ['footnotes', 'endnotes', 'comments']) {
    for (const { part } of partsOf(type).slice(0, 1)) read(part, type);
  }
}

/** Returns a file of the archive that a document includes: HTML, RTF, a text, or another Word file. */
function readChunk(
  archive: Archive,
  relationships: readonly Relationship[],
  id: string,
  markdown: Markdown,
  depth: number,
): Block[] {
  const part = partWhere(archive, relationships, (each) => each.id === id);
  if (!part) return [];
  const bytes = archive.read(part);
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') {
    if (depth < maxChunkDepth) readDocx(archive.within(bytes), markdown, depth + 1);
    else markdown.warnings.add('attachment_not_read');
    return [];
  }
  if (bytes.subarray(0, 5).toString('latin1') === '{\\rtf') {
    return [{ paragraph: readRtf(bytes, markdown.room).text }];
  }
  const { room, warnings } = markdown;
  const isHtml = /\.x?html?$/i.test(part);
  return [
    {
      paragraph: isHtml
        ? htmlText(decodeHtml(bytes, warnings), room)
        : decodeText(bytes, undefined, warnings),
    },
  ];
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

/** How the letters of a run stand. */
interface RunStyle {
  isHidden: boolean;
  position: string;
}

/** The parts of a Word file that each of its texts refers to. */
interface Surroundings {
  styleOf: (id: string) => ParagraphStyle;
  numberings: Numberings;
  /** Returns the content of an element that refers to a part of its own. */
  shown: (name: string, attributes: Attributes) => Block[];
}

/** Reads the body of a Word file, or its notes. @see https://ecma-international.org/publications-and-standards/standards/ecma-376/ */
class DocxReader implements PartHandler {
  readonly skipped = skipped;
  readonly root: string;
  private readonly markdown: Markdown;
  private readonly surroundings: Surroundings;
  private readonly tables = new TableReader();
  /** The open paragraphs: one within another stands in a text box. */
  private readonly paragraphs: Paragraph[] = [];
  private run: RunStyle = { isHidden: false, position: '' };
  private equation: Equation | undefined;
  /** The entries of the open list to choose from, and the number of the chosen one. */
  private choices: { entries: string[]; chosen: number } | undefined;
  /** How many columns the open cell reaches over. */
  private span = 1;
  private note: Note | undefined;

  constructor(root: string, markdown: Markdown, surroundings: Surroundings) {
    this.root = root;
    this.markdown = markdown;
    this.surroundings = surroundings;
  }

  open(name: string, attributes: Attributes): void {
    const paragraph = this.paragraphs.at(-1);
    const value = attribute(attributes, 'val');
    if (name === 'oMath') this.equation = new Equation();
    else if (this.equation) this.equation.open(name, value);
    else if (name === 'p') this.paragraphs.push({ text: '' });
    else if (name === 'tbl') this.tables.openTable(this.markdown.room);
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'tc') {
      this.span = 1;
      this.tables.openCell();
    } else if (name === 'gridSpan') this.span = spanOf(value);
    else if (notes.has(name)) this.openNote(name, attributes);
    else {
      for (const block of this.surroundings.shown(name, attributes)) this.markdown.add(block);
      if (paragraph) this.openInParagraph(paragraph, name, attributes, value);
    }
  }

  text(text: string, within: string): void {
    const paragraph = this.paragraphs.at(-1);
    if (within !== 't' || !paragraph) return;
    if (this.equation) this.equation.add(text);
    else if (this.run.isHidden) this.markdown.warnings.add('hidden_left_out');
    else paragraph.text += inPosition(text, this.run.position);
  }

  close(name: string): void {
    if (name === 'oMath') this.closeEquation();
    else if (this.equation) this.equation.close(name);
    else if (name === 'ddList' || name === 'comboBox') this.closeChoices();
    else if (name === 'p') this.closeParagraph();
    else if (name === 'tc') this.tables.closeCell(this.span);
    else if (name === 'tr') this.tables.closeRow();
    else if (name === 'tbl') this.closeTable();
    else if (notes.has(name)) this.closeNote(name);
  }

  private closeEquation(): void {
    const paragraph = this.paragraphs.at(-1);
    if (paragraph) paragraph.text += `${this.equation}`;
    this.equation = undefined;
  }

  /** A field's list, of which one entry is chosen, says it in its place. */
  private closeChoices(): void {
    const { entries, chosen } = this.choices ?? { entries: [], chosen: 0 };
    const paragraph = this.paragraphs.at(-1);
    if (paragraph) paragraph.text += entries[chosen] ?? '';
    this.choices = undefined;
  }

  private openInParagraph(
    paragraph: Paragraph,
    name: string,
    attributes: Attributes,
    value: string | undefined,
  ): void {
    if (name === 'r') this.run = { isHidden: false, position: '' };
    else if (name === 'vanish') this.run.isHidden = isOn(value);
    else if (name === 'vertAlign') this.run.position = value ?? '';
    else if (name === 'tab') paragraph.text += ' ';
    else if (name === 'br' || name === 'cr') paragraph.text += '\n';
    else if (name === 'noBreakHyphen') paragraph.text += '-';
    // The style comes first among a paragraph's properties.
    else if (name === 'pStyle') Object.assign(paragraph, this.surroundings.styleOf(value ?? ''));
    else if (name === 'ddList') this.choices = { entries: [], chosen: 0 };
    else if (name === 'listEntry') this.choices?.entries.push(value ?? '');
    else if (name === 'result' && this.choices) this.choices.chosen = Number(value) || 0;
    else if (name === 'checkBox') paragraph.text += '☐';
    else if (name === 'checked' || name === 'default')
      paragraph.text = ticked(paragraph.text, value);
    else if (name === 'sym') paragraph.text += symbolOf(attributes);
    else if (name === 'footnoteReference' || name === 'endnoteReference') {
      paragraph.text += `[^${labelOf(name, attributes)}]`;
    } else readProperty(paragraph, name, value);
  }

  private closeParagraph(): void {
    const paragraph = this.paragraphs.pop();
    const text = paragraph?.text.trim();
    if (!paragraph || !text) return;
    if (this.tables.addText(text)) return;
    if (this.note) this.note.texts.push(text);
    else if (paragraph.outlineLevel !== undefined) {
      this.markdown.add({
        heading: this.numbered(text, paragraph),
        level: paragraph.outlineLevel + 1,
      });
    } else this.addText(text, paragraph);
  }

  private addText(text: string, { numberingId = '0', depth = 0 }: ParagraphStyle): void {
    if (numberingId === '0') this.markdown.add({ paragraph: text });
    else {
      const marker = this.surroundings.numberings.next(numberingId, depth);
      this.markdown.add({ item: text, depth, marker });
    }
  }

  /** Returns a heading behind its number, if it has one. */
  private numbered(text: string, { numberingId = '0', depth = 0 }: ParagraphStyle): string {
    if (numberingId === '0') return text;
    const marker = this.surroundings.numberings.next(numberingId, depth);
    return marker === '-' ? text : `${marker} ${text}`;
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

  private closeNote(name: string): void {
    const { note } = this;
    this.note = undefined;
    if (!note || note.isSeparator || note.texts.length === 0) return;
    const text = note.texts.join(' ');
    const isComment = name === 'comment';
    this.markdown.add({
      paragraph: isComment ? `[Comment: ${text}]` : `[^${note.label}]: ${text}`,
    });
  }
}

const notes = new Set(['footnote', 'endnote', 'comment']);

/** Whether a property is on: it needs no value to be. */
const isOn = (value: string | undefined) => !['0', 'false', 'off'].includes(value ?? '');

/** Ticks the box that a text ends with, or takes the tick away. */
const ticked = (text: string, value: string | undefined) =>
  text.replace(/[☐☒]$/u, isOn(value) ? '☒' : '☐');

/** Returns a sign of a symbol font: a tick or a box by its number, else a bullet. */
function symbolOf(attributes: Attributes): string {
  const code = Number.parseInt(attribute(attributes, 'char') ?? '', 16);
  return letterOf(code < 0x100 ? code + 0xf000 : code).replace(/[\p{Co}\ufffd]/u, '•');
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

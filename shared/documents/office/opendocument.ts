import { encryptedDocument } from '../errors.ts';
import { inPosition } from '../letters.ts';
import type { Block, Markdown } from '../markdown.ts';
import { TableReader } from '../table-reader.ts';
import type { Archive } from './archive.ts';
import { addSlide, type Slide } from './slides.ts';
import { type Attributes, attribute, attributesOf, type PartHandler, readPart } from './xml.ts';

/** Writes the text of an OpenDocument file: a text, a presentation's slides, or the sheets of a spreadsheet. */
export function readOpenDocument(archive: Archive, markdown: Markdown): void {
  refuseEncrypted(archive);
  const { head, foot } = pageEdges(archive, markdown);
  for (const paragraph of head) markdown.add({ paragraph });
  const reader = new ContentReader('document-content', markdown);
  readPart(archive, 'content.xml', reader);
  for (const paragraph of foot) markdown.add({ paragraph });
  reader.addNotes();
}

/** Returns the heads and feet of a text's pages, each line once. */
function pageEdges(archive: Archive, markdown: Markdown): Record<'head' | 'foot', Set<string>> {
  const edges = { head: new Set<string>(), foot: new Set<string>() };
  if (!archive.has('styles.xml')) return edges;
  const reader = new ContentReader('document-styles', markdown);
  let edge: Set<string> | undefined;
  readPart(archive, 'styles.xml', {
    root: reader.root,
    skipped,
    open: (name, attributes) => {
      if (/^header(-left|-first)?$/.test(name)) edge = edges.head;
      else if (/^footer(-left|-first)?$/.test(name)) edge = edges.foot;
      else if (edge) reader.open(name, attributes);
    },
    text: (text) => {
      if (edge) reader.text(text);
    },
    close: (name) => {
      if (/^(header|footer)(-left|-first)?$/.test(name)) edge = undefined;
      else if (edge && name === 'p') {
        const text = reader.takeParagraph();
        if (/\p{L}/u.test(text)) edge.add(text);
      } else if (edge) reader.close(name);
    },
  });
  return edges;
}

/** The parts of an encrypted file are no XML, and its manifest says how they are encrypted. */
function refuseEncrypted(archive: Archive): void {
  const manifest = 'META-INF/manifest.xml';
  if (!archive.has(manifest)) return;
  const encrypted = attributesOf(archive, manifest, 'manifest', 'encryption-data');
  if (encrypted.length > 0) throw encryptedDocument();
}

interface List {
  style: string;
  /** The number of the item that is open, from 1. */
  number: number;
  /** Whether the open item still waits for its first paragraph, which gets the marker. */
  isNewItem: boolean;
}

interface Paragraph {
  text: string;
  /** The level of a heading; 0 for text. */
  level: number;
}

/** Deleted text, authors and times of comments, numbers of notes, readings of words, and elements without text. */
const skipped = new Set([
  ...['tracked-changes', 'note-citation', 'ruby-text', 'creator', 'date', 'creator-initials'],
  ...['scripts', 'forms', 'settings', 'binary-data'],
]);

const maxSpaces = 100;

/** Reads `content.xml`. @see https://docs.oasis-open.org/office/OpenDocument/v1.3/OpenDocument-v1.3-part3-schema.html */
class ContentReader implements PartHandler {
  readonly root: string;
  readonly skipped = skipped;
  private readonly markdown: Markdown;
  private readonly tables = new TableReader();
  private readonly lists: List[] = [];
  /** The open paragraphs: one within another stands in a note or a text box. */
  private readonly paragraphs: Paragraph[] = [];
  /** For each style of lists, whether a depth of it is numbered. */
  private readonly numbered = new Map<string, boolean[]>();
  private readonly notes: string[] = [];
  private readonly comments: string[] = [];
  /** For each style that raises or lowers text, which of both. */
  private readonly positions = new Map<string, string>();
  private styleName = '';
  /** The positions of the open spans. */
  private readonly spans: string[] = [];
  private note: string[] | undefined;
  private listStyle: boolean[] = [];
  private slide: Slide | undefined;
  private slides = 0;
  private isSpreadsheet = false;
  private isSpeakerNote = false;
  private isTitle = false;
  /** For each open row and cell, how many it stands for. */
  private readonly repeats: number[] = [];

  constructor(root: string, markdown: Markdown) {
    this.root = root;
    this.markdown = markdown;
  }

  open(name: string, attributes: Attributes): void {
    const paragraph = this.paragraphs.at(-1);
    if (name === 'p') this.paragraphs.push({ text: '', level: 0 });
    else if (name === 'h') this.openHeading(attributes);
    else if (name === 'list') this.openList(attributes);
    else if (name === 'list-item') this.openItem();
    else if (name === 'note' || name === 'annotation') this.note = [];
    else if (name === 'style') this.styleName = attribute(attributes, 'name') ?? '';
    else if (name === 'text-properties') this.openTextStyle(attributes);
    else if (name === 'span') this.openSpan(attributes);
    else if (name === 'spreadsheet') this.isSpreadsheet = true;
    else if (name === 'page') this.slide = { titles: [], blocks: [], notes: [] };
    else if (name === 'notes') this.isSpeakerNote = true;
    else if (name === 'frame') this.isTitle = attribute(attributes, 'class') === 'title';
    else if (name.startsWith('table') || name === 'covered-table-cell') {
      this.openTablePart(name, attributes);
    } else if (name.startsWith('list-')) this.openListStyle(name, attributes);
    else if (paragraph) openInParagraph(paragraph, name, attributes);
  }

  text(text: string): void {
    const paragraph = this.paragraphs.at(-1);
    if (paragraph) paragraph.text += inPosition(text.replace(/\s+/g, ' '), this.spans.at(-1));
  }

  close(name: string): void {
    if (name === 'p' || name === 'h') this.closeParagraph();
    else if (name === 'list') this.lists.pop();
    else if (name === 'note' || name === 'annotation') this.closeNote(name);
    else if (name === 'span') this.spans.pop();
    else if (name === 'page') this.closeSlide();
    else if (name === 'notes') this.isSpeakerNote = false;
    else if (name === 'frame') this.isTitle = false;
    else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.tables.closeCell(this.repeats.pop(), true);
    } else if (name === 'table-row') this.tables.closeRow(this.repeats.pop());
    else if (name === 'table') this.closeTable();
  }

  /** Returns the text of the paragraph that ends, and forgets it. */
  takeParagraph(): string {
    return this.paragraphs.pop()?.text.trim() ?? '';
  }

  /** Writes the footnotes, the endnotes and the comments, after all the text. */
  addNotes(): void {
    for (const [index, note] of this.notes.entries()) {
      this.markdown.add({ paragraph: `[^${index + 1}]: ${note}` });
    }
    for (const comment of this.comments) this.markdown.add({ paragraph: `[Comment: ${comment}]` });
  }

  private openTextStyle(attributes: Attributes): void {
    const position = attribute(attributes, 'text-position')?.split(' ')[0] ?? '';
    const rise = Number.parseFloat(position);
    if (position === 'super' || rise > 0) this.positions.set(this.styleName, 'superscript');
    if (position === 'sub' || rise < 0) this.positions.set(this.styleName, 'subscript');
  }

  private openSpan(attributes: Attributes): void {
    const style = attribute(attributes, 'style-name') ?? '';
    this.spans.push(this.positions.get(style) ?? this.spans.at(-1) ?? '');
  }

  private openHeading(attributes: Attributes): void {
    const level = Number(attribute(attributes, 'outline-level')) || 1;
    this.paragraphs.push({ text: '', level });
  }

  private openList(attributes: Attributes): void {
    // A list within another has its style, if it names none.
    const style = attribute(attributes, 'style-name') ?? this.lists.at(-1)?.style ?? '';
    this.lists.push({ style, number: 0, isNewItem: false });
  }

  private openItem(): void {
    const list = this.lists.at(-1);
    if (!list) return;
    list.number += 1;
    list.isNewItem = true;
  }

  private openListStyle(name: string, attributes: Attributes): void {
    if (name === 'list-style') {
      this.listStyle = [];
      this.numbered.set(attribute(attributes, 'name') ?? '', this.listStyle);
    }
    const depth = Number(attribute(attributes, 'level')) - 1;
    if (name === 'list-level-style-number' && depth >= 0 && depth < 10)
      this.listStyle[depth] = true;
  }

  private openTablePart(name: string, attributes: Attributes): void {
    if (name === 'table') this.openTable(attributes);
    else if (name === 'table-row') {
      this.repeats.push(repeatsOf(attributes, 'number-rows-repeated'));
      this.tables.openRow();
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.repeats.push(repeatsOf(attributes, 'number-columns-repeated'));
      this.tables.openCell();
    }
  }

  private openTable(attributes: Attributes): void {
    if (this.isSpreadsheet) {
      this.markdown.add({ heading: `Sheet: ${attribute(attributes, 'name') ?? ''}`, level: 2 });
    }
    this.tables.openTable(this.markdown.room);
  }

  private closeTable(): void {
    const table = this.tables.closeTable();
    if (table) this.add({ table });
  }

  private closeParagraph(): void {
    const { text = '', level = 0 } = this.paragraphs.pop() ?? {};
    if (text.trim() === '') return;
    if (this.note) this.note.push(text.trim());
    else if (this.tables.addText(text)) return;
    else if (this.isSpeakerNote) this.slide?.notes.push(text.trim());
    else if (this.isTitle && this.slide) this.slide.titles.push(text.trim());
    else if (level > 0) this.add({ heading: text, level });
    else this.add(this.blockOf(text));
  }

  private blockOf(text: string): Block {
    const list = this.lists.at(-1);
    if (!list?.isNewItem) return { paragraph: text };
    list.isNewItem = false;
    const depth = this.lists.length - 1;
    const isNumbered = this.numbered.get(list.style)?.[depth];
    return { item: text, depth, marker: isNumbered ? `${list.number}.` : '-' };
  }

  private closeNote(name: 'note' | 'annotation'): void {
    const text = this.note?.join(' ');
    this.note = undefined;
    const paragraph = this.paragraphs.at(-1);
    if (name === 'annotation') this.comments.push(...(text ? [text] : []));
    else if (text !== undefined && paragraph) {
      this.notes.push(text);
      paragraph.text += `[^${this.notes.length}]`;
    }
  }

  private closeSlide(): void {
    const { slide } = this;
    this.slide = undefined;
    if (!slide) return;
    this.slides += 1;
    addSlide(this.markdown, this.slides, slide);
  }

  private add(block: Block): void {
    if (this.slide) this.slide.blocks.push(block);
    else this.markdown.add(block);
  }
}

/** A space that counts, a tab and a line break are elements; other white space is one space. */
function openInParagraph(paragraph: Paragraph, name: string, attributes: Attributes): void {
  if (name === 's') {
    const count = Number(attribute(attributes, 'c') ?? 1) || 1;
    paragraph.text += ' '.repeat(Math.min(Math.max(1, count), maxSpaces));
  } else if (name === 'tab') paragraph.text += ' ';
  else if (name === 'line-break') paragraph.text += '\n';
}

function repeatsOf(attributes: Attributes, name: string): number {
  return Math.max(1, Math.floor(Number(attribute(attributes, name))) || 1);
}

import { unreadableDocument } from './errors.ts';
import {
  type Attributes,
  blockElements,
  isHidden,
  layoutElements,
  listElements,
  unseenElements,
} from './html-elements.ts';
import { HtmlNesting } from './html-nesting.ts';
import { type Block, type Markdown, markdownUpTo } from './office/markdown.ts';
import { TableReader } from './office/table-reader.ts';

/** Office marks names and empty paragraphs by elements with prefixes of its own, which stand within a line. */
const ofOffice = /^(o|st\d+):/;
/** The elements that group a table's rows. */
const rowGroups = new Set(['thead', 'tbody', 'tfoot']);
/** What a table has that holds data. */
const headElements = new Set(['caption', 'thead', 'th']);
/** The parser takes longer with each level. Pages that never close a tag have some hundreds. */
const maxDepth = 5_000;
/** A longer paragraph ends with its next line: to tidy millions of lines at once takes all memory. */
const maxParagraphCharacters = 100_000;
/** @see https://html.spec.whatwg.org/multipage/tables.html#attributes-common-to-td-and-th-elements */
const maxRowSpan = 65_534;

/** Returns what a page shows as Markdown, up to a number of characters; `read` tells a reader its elements. */
export function htmlMarkdown(maxCharacters: number, read: (reader: HtmlReader) => void): string {
  return markdownUpTo(maxCharacters, (markdown) => {
    const reader = new HtmlReader(markdown);
    read(reader);
    reader.endBlock();
  });
}

interface OpenTable {
  /** Whether it has a head or a caption. */
  isData: boolean;
  /** Whether its cells are read as if there were no table. */
  isLayout: boolean;
}

/**
 * Writes a page as Markdown: headings, lists, tables, quotes and preformatted text. It is told of elements as they begin
 * and end, each within the one before. Throws 422 for those nested more than 5,000 deep, and for a table longer than any
 * sheet.
 */
export class HtmlReader {
  private readonly markdown: Markdown;
  private readonly nesting = new HtmlNesting();
  private readonly tables = new TableReader();
  private readonly openTables: OpenTable[] = [];
  /** The text since the last block. */
  private line = '';
  private headingLevel = 0;
  private depth = 0;
  /** The depth of the element that is left out, and of the one whose text is preformatted; 0 if there is none. */
  private unseenFrom = 0;
  private preFrom = 0;

  constructor(markdown: Markdown) {
    this.markdown = markdown;
  }

  open(name: string, attributes: Attributes): void {
    this.depth += 1;
    if (this.depth > maxDepth) throw unreadableDocument('its elements are nested too deep');
    if (this.unseenFrom > 0) return;
    if (isUnseen(name, attributes)) this.unseenFrom = this.depth;
    else if (name === 'br') this.breakLine();
    else if (this.preFrom > 0) return;
    else if (name === 'rt') this.line += '(';
    else this.openBlock(blockName(name), attributes);
  }

  text(text: string): void {
    if (this.unseenFrom > 0) return;
    this.line += this.preFrom > 0 ? text : text.replace(/\s+/g, ' ');
    if (this.line.length > this.markdown.room) this.endBlock();
  }

  close(name: string): void {
    const { depth } = this;
    this.depth -= 1;
    if (this.unseenFrom > 0) {
      if (this.unseenFrom === depth) this.unseenFrom = 0;
    } else if (this.preFrom > 0 && this.preFrom < depth) {
      // Highlighters put an element on each line.
      if (blockElements.has(name)) this.line += '\n';
    } else if (name === 'rt') this.line += ')';
    else this.closeBlock(blockName(name));
  }

  /** Writes the text since the last block as one, or adds it to the open cell. */
  endBlock(): void {
    const isCode = this.preFrom > 0;
    const text = isCode ? this.line : tidy(this.line);
    this.line = '';
    if (text.trim() === '') return;
    const level = this.headingLevel;
    this.headingLevel = 0;
    if (this.tables.addText(text)) return;
    if (isCode) this.add({ code: text });
    else this.add(level > 0 ? { heading: text, level } : { paragraph: text });
  }

  private breakLine(): void {
    this.line += '\n';
    if (this.preFrom === 0 && this.line.length > maxParagraphCharacters) this.endBlock();
  }

  private openBlock(name: string, attributes: Attributes): void {
    if (!blockElements.has(name)) return;
    this.endBlock();
    this.dissolveTable(name);
    if (name === 'pre') this.preFrom = this.depth;
    else if (name === 'blockquote') this.nesting.openQuote();
    else if (name === 'ol') this.nesting.openList(integer(attributes['start']) ?? 1);
    else if (listElements.has(name)) this.nesting.openList();
    else if (name === 'li') this.nesting.openItem(integer(attributes['value']));
    else if (name === 'table') this.openTable();
    else if (isHeading(name)) this.headingLevel = Number(name[1]);
    else this.openInTable(name, attributes);
  }

  private closeBlock(name: string): void {
    if (!blockElements.has(name)) return;
    this.endBlock();
    if (name === 'pre') this.preFrom = 0;
    else if (name === 'blockquote' || listElements.has(name)) this.nesting.close();
    else if (name === 'li') this.nesting.closeItem();
    else if (name === 'table') this.closeTable();
    else if (isHeading(name)) this.headingLevel = 0;
    else this.closeInTable(name);
  }

  private openTable(): void {
    this.openTables.push({ isData: false, isLayout: false });
    this.tables.openTable(this.markdown.room);
  }

  private openInTable(name: string, attributes: Attributes): void {
    const table = this.openTables.at(-1);
    if (!table || table.isLayout) return;
    table.isData ||= headElements.has(name);
    if (rowGroups.has(name)) this.tables.closeRowGroup();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'td' || name === 'th') this.openCell(attributes);
  }

  private closeInTable(name: string): void {
    if (this.openTables.at(-1)?.isLayout) return;
    if (name === 'td' || name === 'th') this.tables.closeCell();
    else if (rowGroups.has(name)) this.tables.closeRowGroup();
    else if (name === 'tr') this.tables.closeRow();
  }

  /** Begins a cell. With `rowspan=0` it reaches down to the end of its row group. */
  private openCell({ colspan, rowspan }: Attributes): void {
    const rows = (integer(rowspan) ?? 1) || maxRowSpan;
    this.tables.openCell();
    this.tables.reach(Math.max(1, integer(colspan) ?? 1), Math.min(rows, maxRowSpan));
  }

  private closeTable(): void {
    if (!this.openTables.pop()?.isLayout) this.writeTable();
  }

  /** Has the open table end where something begins that no cell holds: the rest of it is there for the layout. */
  private dissolveTable(name: string): void {
    const table = this.openTables.at(-1);
    if (!table || table.isLayout) return;
    const isList = listElements.has(name) || name === 'dl';
    const isOfLayout = layoutElements.has(name) || (isList && this.tables.isOneColumn);
    if (name !== 'table' && (table.isData || !isOfLayout)) return;
    this.writeTable();
    table.isLayout = true;
  }

  private writeTable(): void {
    const table = this.tables.closeTable();
    if (table?.length) this.add({ table });
  }

  private add(block: Block): void {
    this.markdown.add(block, this.nesting.margin());
  }
}

/** The parentheses around a reading are written by its own element. */
const isUnseen = (name: string, attributes: Attributes) =>
  name === 'rp' || unseenElements.has(name) || isHidden(name, attributes);

/** Returns an element's name without its namespace's prefix. */
const blockName = (name: string) =>
  name.includes(':') && !ofOffice.test(name) ? name.slice(name.lastIndexOf(':') + 1) : name;

const isHeading = (name: string) => /^h[1-6]$/.test(name);

/** Returns an attribute's whole number, if it has one. */
function integer(value = ''): number | undefined {
  const number = Number.parseInt(value, 10);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Spaces are single within a line and none at its ends; there are at most two line breaks in a row. */
const tidy = (text: string) =>
  text
    .replace(/ {2,}/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

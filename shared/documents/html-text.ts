import { Parser } from 'htmlparser2';
import { unreadableDocument } from './errors.ts';
import { Markdown, TextIsFull } from './office/markdown.ts';
import { TableReader } from './office/table-reader.ts';
import { decodeText } from './text.ts';

/** Elements whose text is not shown. A head itself is read, as it may lack its end: then the body's text lies in it. */
const skipped = new Set([
  ...['script', 'style', 'noscript', 'template', 'svg', 'title', 'iframe', 'object', 'select'],
  // Of Office, in a head.
  'xml',
  // Parentheses around a reading; the reader writes its own.
  'rp',
]);
/** The elements that stand within a line of text; all others begin and end one. */
const inline = new Set([
  ...['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em'],
  ...['font', 'i', 'img', 'ins', 'kbd', 'label', 'mark', 'nobr', 'q', 'rb', 'rp', 'rt', 'ruby'],
  ...['s', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var'],
  'wbr',
]);
/** Office marks names and empty paragraphs by elements with prefixes of its own. */
const ofOffice = /^(o|st\d+):/;
const isInline = (name: string) => inline.has(name) || ofOffice.test(name);
/** The elements that group a table's rows. */
const rowGroups = new Set(['thead', 'tbody', 'tfoot']);
/** How XHTML begins. An element in it may close itself; in HTML the same signs mean nothing. */
const xhtml = /^\s*<\?xml|xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/;
/** The parser takes longer with each level. Pages that never close a tag have some hundreds. */
const maxDepth = 5_000;

/**
 * Returns the text of an HTML file as Markdown: headings, lists and tables. Throws 422 for elements nested more than 5,000
 * deep, and for a table longer than any sheet.
 */
export function htmlText(html: string, maxCharacters: number): string {
  const markdown = new Markdown(maxCharacters);
  const reader = new HtmlReader(markdown);
  const isXhtml = xhtml.test(html.slice(0, 2_000));
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.text(text),
      onclosetag: (name) => reader.close(name),
    },
    { recognizeSelfClosing: isXhtml, recognizeCDATA: isXhtml },
  );
  try {
    parser.end(html);
    reader.endLine();
  } catch (error) {
    if (!(error instanceof TextIsFull)) throw error;
  }
  return markdown.toString();
}

/** Where a page may name its encoding. */
const encodingPlace = 1_024;

/** Decodes a page's bytes: by their mark, as UTF-8 where they are that, else by the encoding that the page names. */
export function decodeHtml(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, encodingPlace);
  const named = start.match(/(?:charset|encoding)\s*=\s*["']?\s*([\w:-]+)/i)?.[1];
  return decodeText(bytes, named);
}

/** @see https://html.spec.whatwg.org/multipage/tables.html#attributes-common-to-td-and-th-elements */
const maxRowSpan = 65_534;

/** Returns an attribute's whole number, or `otherwise`. */
function integer(value: string | undefined, otherwise: number): number {
  const number = Number.parseInt(value ?? '', 10);
  return Number.isSafeInteger(number) ? number : otherwise;
}

const inOneLine = (text: string) => text.replace(/\s+/g, ' ');

class HtmlReader {
  private readonly markdown: Markdown;
  private readonly tables = new TableReader();
  /** For each open list, the number of its last item; undefined if it isn't numbered. */
  private readonly lists: (number | undefined)[] = [];
  private line = '';
  private headingLevel = 0;
  /** Whether the line is the first of a list's item. */
  private isItem = false;
  private depth = 0;
  /** How many open elements are left out. */
  private skippedDepth = 0;

  constructor(markdown: Markdown) {
    this.markdown = markdown;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.depth += 1;
    if (this.depth > maxDepth) throw unreadableDocument('its elements are nested too deep');
    if (skipped.has(name)) this.skippedDepth += 1;
    if (this.skippedDepth > 0) return;
    if (name === 'rt') this.line += '(';
    if (isInline(name)) return;
    this.endLine();
    const heading = name.match(/^h([1-6])$/)?.[1];
    if (heading) this.headingLevel = Number(heading);
    else if (name === 'ul') this.lists.push(undefined);
    else if (name === 'ol') this.lists.push(integer(attributes['start'], 1) - 1);
    else if (name === 'li') this.openItem(attributes['value']);
    else if (name === 'table') this.tables.openTable(this.markdown.room);
    else if (rowGroups.has(name)) this.tables.closeRowGroup();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'td' || name === 'th') this.openCell(attributes);
  }

  text(text: string): void {
    if (this.skippedDepth > 0) return;
    this.line += inOneLine(text);
    if (this.line.length > this.markdown.room) this.endLine();
  }

  close(name: string): void {
    this.depth -= 1;
    if (skipped.has(name)) this.skippedDepth -= 1;
    if (this.skippedDepth > 0) return;
    if (name === 'rt') this.line += ')';
    if (isInline(name)) return;
    this.endLine();
    if (name === 'ul' || name === 'ol') this.lists.pop();
    else if (name === 'td' || name === 'th') this.tables.closeCell();
    else if (rowGroups.has(name)) this.tables.closeRowGroup();
    else if (name === 'tr') this.tables.closeRow();
    else if (name === 'table') this.closeTable();
  }

  /** Writes the text since the last line ended. */
  endLine(): void {
    const text = inOneLine(this.line).trim();
    const { headingLevel, isItem } = this;
    this.line = '';
    if (text === '') return;
    this.headingLevel = 0;
    this.isItem = false;
    if (this.tables.addText(text)) return;
    if (headingLevel > 0) this.markdown.add({ heading: text, level: headingLevel });
    else if (isItem) this.markdown.add({ item: text, ...this.itemStyle() });
    else this.markdown.add({ paragraph: text });
  }

  private openItem(value: string | undefined): void {
    const number = this.lists.at(-1);
    if (number !== undefined) this.lists[this.lists.length - 1] = integer(value, number + 1);
    this.isItem = true;
  }

  /** Begins a cell. With `rowspan=0` it reaches down to the end of its row group. */
  private openCell({ colspan, rowspan }: Readonly<Record<string, string>>): void {
    const rows = integer(rowspan, 1) || maxRowSpan;
    this.tables.openCell();
    this.tables.reach(Math.max(1, integer(colspan, 1)), Math.min(rows, maxRowSpan));
  }

  private itemStyle(): { depth: number; marker: string } {
    const number = this.lists.at(-1);
    const depth = Math.max(0, this.lists.length - 1);
    return { depth, marker: number === undefined ? '-' : `${number}.` };
  }

  private closeTable(): void {
    const table = this.tables.closeTable();
    if (table) this.markdown.add({ table });
  }
}

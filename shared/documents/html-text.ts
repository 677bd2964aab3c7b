import { type Handler, Parser } from 'htmlparser2';
import { unreadableDocument } from './errors.ts';
import {
  type Attributes,
  blockElements,
  headElements,
  isUnseen,
  layoutElements,
  listElements,
  rowGroups,
} from './html-elements.ts';
import { HtmlMargins } from './html-margins.ts';
import { type Block, type Markdown, markdownUpTo, oneLine } from './markdown.ts';
import { TableReader } from './table-reader.ts';
import { decodeText } from './text.ts';
import type { Warning } from './warnings.ts';

/** Office marks names and empty paragraphs by elements with prefixes of its own, which stand within a line. */
const ofOffice = /^(o|st\d+):/;
/** How XHTML begins. An element in it may close itself; in HTML the same signs mean nothing. */
const xhtml = /^\s*<\?xml|xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/;
/** The parser takes longer with each level. Pages that never close a tag have some hundreds. */
const maxDepth = 5_000;
/** Preformatted text that is longer ends with its next line break: millions of pieces of it take all memory. */
const maxCodeCharacters = 100_000;
/** @see https://html.spec.whatwg.org/multipage/tables.html#attributes-common-to-td-and-th-elements */
const maxRowSpan = 65_534;

/** Returns an HTML file's visible text as Markdown. Throws 422 for nesting over 5,000, and a table longer than any sheet. */
export function htmlText(html: string, maxCharacters: number, { withLinks = false } = {}): string {
  const isXhtml = xhtml.test(html.slice(0, 2_000));
  return markdownUpTo(maxCharacters, (markdown) => {
    const reader = new HtmlReader(markdown);
    new Parser(reader, { recognizeSelfClosing: isXhtml, recognizeCDATA: isXhtml }).end(html);
    const links = withLinks ? reader.links : [];
    for (const link of links) markdown.add({ item: link, depth: 0, marker: '-' });
  });
}

/** Where a page may name its encoding: browsers look at the first kilobyte, but pages name it later. */
const encodingPlace = 64_000;
/** More links than these are not told. */
const maxLinks = 200;

/** Decodes a page's bytes: by their mark, as UTF-8 where they are that, else by the encoding given, or named in the page. */
export function decodeHtml(bytes: Buffer, warned?: Set<Warning>, encoding?: string): string {
  const start = bytes.toString('latin1', 0, encodingPlace);
  const named =
    start.slice(0, 1_024).match(/(?:charset|encoding)\s*=\s*(?:["']\s*)?([\w:-]+)/i) ??
    start.match(/<meta\b[^<>]{0,300}charset\s*=\s*(?:["']\s*)?([\w:-]+)/i);
  return decodeText(bytes, encoding ?? named?.[1], warned);
}

/** Writes a page as the parser tells of its elements. */
class HtmlReader implements Partial<Handler> {
  private readonly markdown: Markdown;
  private readonly tables = new TableReader();
  private readonly margins = new HtmlMargins();
  /** The calls that are due at the end of each open element. */
  private readonly ends: ((() => void) | undefined)[] = [];
  /** The text since the last line, and the line breaks before it; undefined if it begins a block. */
  private line = '';
  private lineBreaks: number | undefined;
  private headingLevel = 0;
  private isUnseen = false;
  private isCode = false;
  private isRuby = false;
  private isDataTable = false;
  /** Where the page's links lead to, each behind its words. */
  readonly links = new Set<string>();
  /** The options of the open list to choose from, and those that are chosen. */
  private choice: { options: string[]; chosen: string[] } | undefined;
  /** Within a drawing only its texts are read. */
  private drawing: 'shapes' | 'text' | undefined;
  /** The open parts of an equation: their separator, their number, and their depth. */
  private readonly fractions: { mark: string; parts: number; depth: number }[] = [];

  constructor(markdown: Markdown) {
    this.markdown = markdown;
  }

  onopentag(name: string, attributes: Attributes): void {
    if (this.ends.length >= maxDepth) throw unreadableDocument('its elements are nested too deep');
    this.ends.push(this.open(name, attributes));
  }

  ontext(text: string): void {
    if (this.isUnseen) return;
    if (this.drawing === 'shapes') return;
    if (this.choice) {
      const { options } = this.choice;
      if (options.length > 0) options.push(`${options.pop()}${text}`);
      return;
    }
    this.line += this.isCode ? text : text.replace(/\s+/g, ' ');
    if (this.line.length > this.markdown.room) this.endBlock();
  }

  onclosetag(): void {
    this.ends.pop()?.();
  }

  onend(): void {
    this.endBlock();
  }

  private open(fullName: string, attributes: Attributes): (() => void) | undefined {
    if (this.isUnseen) return undefined;
    const own = this.openOwn(fullName, attributes);
    if (own) return own;
    if (isUnseen(fullName, attributes)) return this.set('isUnseen');
    const name = ofOffice.test(fullName) ? fullName : fullName.replace(/^.*:/, '');
    if (name === 'br') return this.breakLine();
    // Highlighters of preformatted text put an element on each line.
    if (name === 'button') return this.put(' ', ' ');
    if (!blockElements.has(name)) return undefined;
    return this.isCode ? this.put('', '\n') : this.openBlock(name, attributes);
  }

  /** Opens a field that a person fills in, a drawing, a link, or a part of an equation. */
  private openOwn(name: string, attributes: Attributes): (() => void) | undefined {
    this.line += this.markOfPart();
    if (name === 'ruby') return this.set('isRuby');
    // Readings that stand beside their words are left out, as in a workbook.
    if (name === 'rt' && this.isRuby) return this.set('isUnseen');
    if (name === 'input') return this.put(shownValue(attributes), ' ');
    if (name === 'select') return this.openChoice();
    if (this.choice && name === 'option') return this.openOption(this.choice, attributes);
    if (name === 'svg') return this.openDrawing('shapes');
    if (this.drawing && name === 'text') return this.openDrawing('text');
    if (name === 'a') return this.openLink(attributes);
    const mark = marksOfEquations[name];
    if (mark === undefined) return undefined;
    this.fractions.push({ mark, parts: 0, depth: this.ends.length + 1 });
    return () => this.fractions.pop();
  }

  /** Sets a flag until the element ends. */
  private set(flag: 'isUnseen' | 'isRuby'): () => void {
    const before = this[flag];
    this[flag] = true;
    return () => {
      this[flag] = before;
    };
  }

  private openChoice(): () => void {
    const choice: NonNullable<typeof this.choice> = { options: [], chosen: [] };
    this.choice = choice;
    return () => {
      this.choice = undefined;
      const shown = choice.chosen.length > 0 ? choice.chosen : choice.options.slice(0, 1);
      this.line += ` ${shown.map((option) => option.trim()).join(', ')} `;
    };
  }

  private openOption(
    choice: NonNullable<typeof this.choice>,
    { selected }: Attributes,
  ): () => void {
    choice.options.push('');
    return () => {
      if (selected !== undefined) choice.chosen.push(choice.options.at(-1) ?? '');
    };
  }

  private openDrawing(drawing: 'shapes' | 'text'): () => void {
    const before = this.drawing;
    this.drawing = drawing;
    this.line += ' ';
    return () => {
      this.drawing = before;
      this.line += ' ';
    };
  }

  private openLink({ href = '' }: Attributes): (() => void) | undefined {
    if (!/^https?:/i.test(href) || this.links.size >= maxLinks) return undefined;
    const from = this.line.length;
    return () => {
      const words = oneLine(this.line.slice(from));
      this.links.add(words && words !== href ? `${words}: ${href}` : href);
    };
  }

  /** Returns the text before a later part of a fraction or a power. */
  private markOfPart(): string {
    const fraction = this.fractions.at(-1);
    if (!fraction || this.ends.length !== fraction.depth) return '';
    fraction.parts += 1;
    return fraction.parts > 1 ? fraction.mark : '';
  }

  private put(before: string, after: string): () => void {
    this.line += before;
    return () => {
      this.line += after;
    };
  }

  private breakLine(): undefined {
    if (this.isCode) {
      this.line += '\n';
      if (this.line.length > maxCodeCharacters) this.endBlock();
    } else if (this.headingLevel > 0) this.line += ' ';
    else {
      this.endLine();
      if (this.lineBreaks !== undefined) this.lineBreaks += 1;
    }
  }

  private openBlock(name: string, attributes: Attributes): () => void {
    this.endBlock();
    this.openInTable(name, attributes);
    const { depth } = this.margins;
    if (name === 'pre' || name === 'xmp') this.isCode = true;
    else if (name === 'blockquote') this.margins.openQuote();
    else if (name === 'ol') this.margins.openList(integer(attributes['start']) ?? 1);
    else if (listElements.has(name)) this.margins.openList();
    else if (name === 'li') this.margins.openItem(integer(attributes['value']));
    else if (/^h[1-6]$/.test(name)) this.headingLevel = Number(name[1]);
    return () => {
      this.endBlock();
      this.closeInTable(name);
      this.isCode = false;
      this.headingLevel = 0;
      this.margins.closeTo(depth);
    };
  }

  private openInTable(name: string, attributes: Attributes): void {
    const isList = listElements.has(name) || name === 'dl';
    const isForLayout = layoutElements.has(name) || (isList && this.tables.isOneColumn);
    // No cell holds these. The rest of a table with one of them is read as if there were none.
    if (name === 'table' || (isForLayout && !this.isDataTable)) this.closeTable();
    if (name === 'table') {
      this.isDataTable = false;
      this.tables.openTable(this.markdown.room);
    } else if (headElements.has(name)) this.isDataTable = true;
    if (rowGroups.has(name)) this.tables.closeRowGroup();
    else if (name === 'tr') this.tables.openRow();
    else if (name === 'td' || name === 'th') this.openCell(attributes);
  }

  private closeInTable(name: string): void {
    if (name === 'td' || name === 'th') this.tables.closeCell();
    else if (rowGroups.has(name)) this.tables.closeRowGroup();
    else if (name === 'tr') this.tables.closeRow();
    else if (name === 'table') this.closeTable();
  }

  /** Begins a cell. With `rowspan=0` it reaches down to the end of its row group. */
  private openCell({ colspan, rowspan }: Attributes): void {
    const rows = (integer(rowspan) ?? 1) || maxRowSpan;
    this.tables.openCell();
    this.tables.reach(Math.max(1, integer(colspan) ?? 1), Math.min(rows, maxRowSpan));
  }

  private closeTable(): void {
    const table = this.tables.closeTable();
    if (table?.length) this.add({ table });
    this.lineBreaks = undefined;
  }

  private endBlock(): void {
    this.endLine();
    this.lineBreaks = undefined;
  }

  /** Writes the text since the last line, or adds it to the open cell. */
  private endLine(): void {
    const text = this.isCode ? this.line : oneLine(this.line);
    const level = this.headingLevel;
    this.line = '';
    if (text.trim() === '' || this.tables.addText(text)) return;
    this.headingLevel = 0;
    if (this.isCode) this.add({ code: text });
    else this.add(level > 0 ? { heading: text, level } : { paragraph: text });
  }

  private add(block: Block): void {
    this.markdown.add(block, this.margins.next(this.lineBreaks));
    this.lineBreaks = 0;
  }
}

/** The signs between the parts of an equation on one line. */
const marksOfEquations: Record<string, string> = { mfrac: '/', msup: '^', msub: '_' };

/** The kinds of fields that nobody fills in or sees. */
const otherFields = new Set(['hidden', 'password', 'submit', 'reset', 'button', 'image', 'file']);

/** Returns what a field of a form shows. */
function shownValue({ type = 'text', value = '', checked }: Attributes): string {
  const kind = type.toLowerCase();
  if (kind === 'checkbox' || kind === 'radio') return checked === undefined ? ' ☐ ' : ' ☒ ';
  return otherFields.has(kind) ? '' : ` ${value}`;
}

/** Returns an attribute's whole number, if it has one. */
function integer(value = ''): number | undefined {
  const number = Number.parseInt(value, 10);
  return Number.isSafeInteger(number) ? number : undefined;
}

import { unreadableDocument } from './errors.ts';
import { inPosition } from './letters.ts';
import { type Markdown, markdownUpTo } from './markdown.ts';
import { type RtfToken, rtfTokens } from './rtf-tokens.ts';
import { TableReader } from './table-reader.ts';
import type { Warning } from './warnings.ts';

/** What a reader takes from an RTF file. */
export interface RtfContent {
  text: string;
  /** JPEG and PNG, each as it is asked for. */
  pictures: (() => Buffer)[];
}

/** The groups that hold no text of the document. */
const skipped = new Set([
  ...['colortbl', 'stylesheet', 'info', 'listtable', 'listoverridetable', 'rsidtbl'],
  ...['fldinst', 'nonshppict', 'xmlnstbl', 'themedata', 'colorschememapping', 'datastore'],
  ...['latentstyles', 'generator', 'object', 'objdata', 'bkmkstart', 'bkmkend'],
  ...['annotation', 'atnid', 'atnauthor', 'deleted'],
]);
/** The groups that hold what repeats on pages: it is written once. */
const edges = new Set([
  ...['header', 'headerl', 'headerr', 'headerf', 'footer', 'footerl', 'footerr', 'footerf'],
]);
/** The code pages of the character sets that a font may have. */
const codePages: Record<number, number> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};
const symbols: Record<string, string> = {
  line: '\n',
  tab: '\t',
  '~': '\u00a0',
  _: '-',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  '{': '{',
  '}': '}',
  '\\': '\\',
};
/** The code pages that have other names in the encoding standard, which has no list of the others. */
const encodings: Record<number, string> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  65001: 'utf-8',
  10000: 'macintosh',
  866: 'ibm866',
  874: 'windows-874',
};
/** An escaped line break is one. */
const paragraphEnds = new Set(['par', 'sect', 'page', '\n', '\r']);
const maxDepth = 1_000;
const maxCharacters = 20_000_000;

/** Returns the text of an RTF file as Markdown: headings, lists and tables. Throws 422 for one nested without end. */
export function readRtf(file: Buffer, limit = maxCharacters, warned?: Set<Warning>): RtfContent {
  const source = file.toString('latin1');
  const pictures: Picture[] = [];
  const text = markdownUpTo(limit, (markdown) => {
    const reader = new RtfReader(source, markdown, pictures);
    for (const token of rtfTokens(source)) reader.take(token);
    reader.end();
    if (reader.isWithinGroup()) warned?.add('cut_off');
  });
  const readable = pictures.filter(({ isReadable }) => isReadable);
  return { text, pictures: readable.map((picture) => () => bytesOf(picture)) };
}

const bytesOf = ({ hex, binary }: Picture): Buffer =>
  binary ?? Buffer.from(hex.join('').replace(/\s/g, ''), 'hex');

/** The state within a group. */
interface Group {
  isSkipped: boolean;
  /** Whether a reader that doesn't know the group's word may leave the group out. */
  isOptional: boolean;
  isListText: boolean;
  /** Whether it lists the document's fonts. */
  isFontTable: boolean;
  font: number | undefined;
  /** `superscript` or `subscript`. */
  position: string;
  /** What stood before it on the line, if it is the head or foot of pages. */
  edge: { line: string } | undefined;
  picture: Picture | undefined;
  /** How many characters follow a `\u` in its place, for readers that can't read it. */
  fallback: number;
}

interface Picture {
  hex: string[];
  binary: Buffer | undefined;
  isReadable: boolean;
}

class RtfReader {
  private readonly source: string;
  private readonly markdown: Markdown;
  private readonly tables = new TableReader();
  private readonly pictures: Picture[];
  private readonly groups: Group[] = [];
  private group: Group = {
    isSkipped: false,
    isOptional: false,
    isListText: false,
    isFontTable: false,
    picture: undefined,
    fallback: 1,
    font: undefined,
    position: '',
    edge: undefined,
  };
  private decoder = new TextDecoder('windows-1252');
  /** The decoders of the fonts that have a character set of their own. */
  private readonly fonts = new Map<number, InstanceType<typeof TextDecoder>>();
  private defaultFont = -1;
  /** What has been written of the pages' heads and feet. */
  private readonly written = new Set<string>();
  private bytes: number[] = [];
  private toSkip = 0;
  private line = '';
  private marker = '';
  private isInTable = false;
  private isTableOpen = false;
  private level: number | undefined;

  constructor(source: string, markdown: Markdown, pictures: Picture[]) {
    this.source = source;
    this.markdown = markdown;
    this.pictures = pictures;
  }

  take(token: RtfToken): void {
    if (token.type === 'byte') {
      if (!this.skipsFallback()) this.bytes.push(token.byte);
      return;
    }
    this.endBytes();
    // The replacement text of a `\u` ends with its group at the latest.
    if (token.type === 'open' || token.type === 'close') this.toSkip = 0;
    if (token.type === 'open') this.openGroup();
    else if (token.type === 'close') this.closeGroup();
    else if (token.type === 'text') this.add(token.text);
    else if (token.type === 'word') this.takeWord(token.word, token.value);
    else if (this.group.picture) {
      this.group.picture.binary = Buffer.from(this.source.slice(token.start, token.end), 'latin1');
    }
  }

  end(): void {
    this.endBytes();
    this.endParagraph();
    this.closeTable();
  }

  isWithinGroup(): boolean {
    return this.groups.length > 0;
  }

  private openGroup(): void {
    if (this.groups.length >= maxDepth) throw unreadableDocument('its parts are nested too deep');
    this.groups.push(this.group);
    this.group = { ...this.group, isOptional: false };
  }

  private closeGroup(): void {
    const { edge } = this.group;
    const outer = this.groups.pop();
    if (edge && !outer?.edge) this.endEdge(edge.line);
    this.group = outer ?? this.group;
  }

  /** Writes the head or foot of pages, unless it is only a number, or was written before. */
  private endEdge(lineBefore: string): void {
    const text = this.line.trim();
    this.line = lineBefore;
    if (!/\p{L}/u.test(text) || this.written.has(text)) return;
    this.written.add(text);
    this.markdown.add({ paragraph: text });
  }

  private openEdge(): void {
    if (this.group.edge) return;
    this.group.edge = { line: this.line };
    this.line = '';
  }

  private openFont(charset: number): void {
    const codePage = codePages[charset];
    const { font } = this.group;
    if (codePage && font !== undefined) this.fonts.set(font, decoderFor(codePage));
  }

  private takeWord(word: string, value: number | undefined): void {
    const { group } = this;
    if (word === '*') group.isOptional = true;
    else if (word === 'shppict' || word === 'footnote') group.isOptional = false;
    else if (word === 'pict') this.openPicture();
    else if (group.picture) group.picture.isReadable ||= word === 'jpegblip' || word === 'pngblip';
    else if (skipped.has(word) || group.isOptional) group.isSkipped = true;
    else if (word === 'listtext' || word === 'pntext') group.isListText = true;
    else if (word === 'fonttbl') group.isFontTable = true;
    else if (word === 'fcharset' && group.isFontTable) this.openFont(value ?? 0);
    else if (edges.has(word) && !group.isSkipped) this.openEdge();
    else if (!group.isSkipped) this.takeTextWord(word, value);
    if (word !== '*') group.isOptional = false;
  }

  private takeTextWord(word: string, value: number | undefined): void {
    const symbol = symbols[word];
    if (symbol !== undefined) {
      if (!this.skipsFallback()) this.append(symbol);
    } else if (word === 'u') this.addUnicode(value ?? 0);
    else if (word === 'uc') this.group.fallback = Math.max(0, value ?? 1);
    else if (word === 'ansicpg') this.decoder = decoderFor(value ?? 1252);
    else if (word === 'mac') this.decoder = decoderFor(10000);
    else if (word === 'f') this.group.font = value ?? 0;
    else if (word === 'deff') this.defaultFont = value ?? 0;
    else if (word === 'super' || word === 'sub') {
      this.group.position = value === 0 ? '' : `${word}script`;
    } else if (word === 'nosupersub' || word === 'plain') this.group.position = '';
    else if (paragraphEnds.has(word)) this.endParagraph();
    else if (word === 'pard') this.beginParagraph();
    else if (word === 'intbl') this.isInTable = true;
    else if (word === 'outlinelevel') this.level = value ?? 0;
    else if (word === 'cell') this.endCell();
    else if (word === 'row') this.endRow();
  }

  private openPicture(): void {
    const picture: Picture = { hex: [], binary: undefined, isReadable: false };
    this.group.isOptional = false;
    this.group.picture = picture;
    if (!this.group.isSkipped) this.pictures.push(picture);
  }

  private endBytes(): void {
    if (this.bytes.length === 0) return;
    const text = this.fontDecoder.decode(new Uint8Array(this.bytes));
    this.bytes = [];
    this.append(text);
  }

  private get fontDecoder() {
    return this.fonts.get(this.group.font ?? this.defaultFont) ?? this.decoder;
  }

  private skipsFallback(): boolean {
    if (this.toSkip === 0) return false;
    this.toSkip -= 1;
    return true;
  }

  private addUnicode(value: number): void {
    this.append(String.fromCharCode(value & 0xffff));
    this.toSkip = this.group.fallback;
  }

  private add(text: string): void {
    const skip = Math.min(this.toSkip, text.length);
    this.toSkip -= skip;
    const rest = text.slice(skip);
    // Text is ASCII as a rule; a byte beyond it is of the code page.
    this.append(isAscii(rest) ? rest : this.fontDecoder.decode(Buffer.from(rest, 'latin1')));
  }

  private append(text: string): void {
    const { isSkipped, isListText, isFontTable, picture, position } = this.group;
    if (isSkipped || isFontTable) return;
    if (picture) picture.hex.push(text);
    else if (isListText) this.marker += text;
    else this.line += inPosition(text, position);
    if (this.line.length > this.markdown.room) this.endParagraph();
  }

  private beginParagraph(): void {
    this.isInTable = false;
    this.level = undefined;
  }

  private endParagraph(): void {
    if (this.group.edge) {
      this.line += ' ';
      return;
    }
    const text = this.line.toWellFormed().trim();
    const marker = this.marker.trim();
    this.line = '';
    this.marker = '';
    if (text === '') return;
    if (this.isInTable) {
      this.openTable();
      this.tables.addText(text);
      return;
    }
    this.closeTable();
    if (this.level !== undefined && this.level < 9) {
      this.markdown.add({ heading: text, level: this.level + 1 });
    } else if (marker) {
      const isNumber = /[\p{L}\p{N}]/u.test(marker);
      this.markdown.add({ item: text, depth: 0, marker: isNumber ? marker : '-' });
    } else this.markdown.add({ paragraph: text });
  }

  private openTable(): void {
    if (this.isTableOpen) return;
    this.isTableOpen = true;
    this.tables.openTable(this.markdown.room);
    this.tables.openRow();
    this.tables.openCell();
  }

  private endCell(): void {
    this.isInTable = true;
    this.openTable();
    this.endParagraph();
    this.tables.closeCell();
    this.tables.openCell();
  }

  private endRow(): void {
    this.openTable();
    this.tables.closeRow();
    this.tables.openRow();
    this.tables.openCell();
  }

  private closeTable(): void {
    if (!this.isTableOpen) return;
    this.isTableOpen = false;
    const table = this.tables.closeTable();
    if (table) this.markdown.add({ table });
  }
}

const isAscii = (text: string) => /^[\t\x20-\x7e]*$/.test(text);

function decoderFor(codePage: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encodings[codePage] ?? `windows-${codePage}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}

import { readFile } from 'node:fs/promises';
import { strFromU8, unzipSync } from 'fflate';
import { htmlText, pdfText } from '../page-text.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { mimeTypeOf, nameOf } from './file-resource.ts';
import { formatOfType } from './google-files.ts';

/** A larger file is found by its name only. */
const maxBytes = 20_000_000;

interface IndexedText {
  /** The size and time that the file had when it was read. */
  state: string;
  words: string;
}

/** The words of files. Each file is read when it is first searched, and again when it has changed. */
export class FullTexts {
  private readonly folder: DriveFolder;
  private readonly texts = new Map<string, IndexedText>();

  constructor(folder: DriveFolder) {
    this.folder = folder;
  }

  /** Reads those files that are new or have changed. */
  async load(entries: Entry[]): Promise<void> {
    // One by one: each may be large.
    for (const entry of entries) {
      const state = stateOf(entry);
      if (this.texts.get(entry.id)?.state === state) continue;
      this.texts.set(entry.id, { state, words: wordsIn(await this.textOf(entry)) });
    }
  }

  /** Returns how much a file is about a search; 0 if a word or a quoted phrase of it is missing. */
  score(entry: Entry, search: string): number {
    const name = wordsIn(nameOf(entry));
    const { words = ' ' } = this.texts.get(entry.id) ?? {};
    let score = 0;
    for (const term of termsOf(search)) {
      const [inName, inText] = [count(name, term), count(words, term)];
      if (inName + inText === 0) return 0;
      score += 10 * inName + inText / Math.sqrt(1 + words.length);
    }
    return score;
  }

  private async textOf(entry: Entry): Promise<string> {
    if (entry.kind !== 'file' || entry.stat.size > maxBytes) return '';
    return textOfFile(this.folder.locate(entry.path), mimeTypeOf(entry));
  }
}

const stateOf = ({ stat, row }: Entry) => `${stat.size} ${stat.mtimeNs} ${row.mime_type}`;

/** Returns the words and the quoted phrases of a search, as `wordsIn` returns words. */
function termsOf(search: string): string[] {
  const terms = search.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return terms.map(wordsIn).filter((words) => words !== ' ');
}

/** Returns the words of a text in lower case, with a space around each. Drive finds whole words only. */
function wordsIn(text: string): string {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      // Without a bound, a word of megabytes takes more memory than a search may.
      .match(/[\p{L}\p{N}\p{M}_]{1,1000}/gu) ?? [];
  return words.length > 0 ? ` ${words.join(' ')} ` : ' ';
}

/** Returns how often words stand one after the other in a text. The space after one may begin the next. */
function count(words: string, term: string): number {
  let found = 0;
  for (let at = words.indexOf(term); at >= 0; at = words.indexOf(term, at + 1)) found += 1;
  return found;
}

/** The parts of an Office file that hold its text: Word's, PowerPoint's, Excel's and OpenDocument's. */
const textParts =
  /^(word\/(document|footnotes|endnotes)\.xml|ppt\/(slides|notesSlides)\/[^/]+\.xml|xl\/(sharedStrings|workbook)\.xml|xl\/worksheets\/[^/]+\.xml|content\.xml)$/;
const officeTypes = /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument)\./;
/** The elements after which a word ends. All others may stand in the middle of one. */
const wordEnds = /<\/?(\w+:)?(p|h|tab|br|cr|line-break|s|si|rPh|c|v|tc|table-cell)(\s[^>]*)?\/?>/g;

const textTypes = new Set(['application/json', 'application/xml', 'application/x-ndjson']);

/** Returns the text that Drive would index of a file; '' for one that holds none or can't be read. */
async function textOfFile(path: string, mimeType: string): Promise<string> {
  const read = readerOf(mimeType);
  if (!read) return '';
  try {
    return await read(await readFile(path));
  } catch {
    // It is damaged or gone: Drive finds it by its name only.
    return '';
  }
}

function readerOf(mimeType: string): ((bytes: Buffer) => string | Promise<string>) | undefined {
  if (mimeType === 'text/html') return (bytes) => htmlText(bytes.toString()).text;
  if (mimeType === 'application/pdf') return pdfText;
  if (officeTypes.test(mimeType)) return officeText;
  const isText = mimeType.startsWith('text/') || textTypes.has(mimeType) || formatOfType(mimeType);
  return isText ? (bytes) => bytes.toString() : undefined;
}

function officeText(bytes: Buffer): string {
  const parts = unzipSync(bytes, { filter: ({ name }) => textParts.test(name) });
  return Object.values(parts)
    .map((part) => xmlText(strFromU8(part)))
    .join(' ');
}

/** Returns the text of XML, and the names of sheets, which are attributes. */
function xmlText(xml: string): string {
  const names = [...xml.matchAll(/<(?:\w+:)?(?:sheet|table)\b[^>]*?\bname="([^"]*)"/g)];
  const text = xml.replace(wordEnds, ' ').replace(/<[^>]*>/g, '');
  return decoded([...names.map(([, name]) => name), text].join(' '));
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string) =>
  text.replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity);

import { fileText } from '../file-text.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { mimeTypeOf, nameOf } from './file-resource.ts';

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
    if (entry.kind !== 'file') return '';
    return (await fileText(this.folder.locate(entry.path), mimeTypeOf(entry))).text;
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

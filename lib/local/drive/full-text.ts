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

  /** Returns how much a file is about a search; 0 if a word or a quoted phrase of it is missing. */
  async score(entry: Entry, search: string): Promise<number> {
    const name = wordsIn(nameOf(entry));
    const words = await this.wordsOf(entry);
    let score = 0;
    for (const term of termsOf(search)) {
      const [inName, inText] = [count(name, term), count(words, term)];
      if (inName + inText === 0) return 0;
      score += 10 * inName + inText / Math.sqrt(1 + words.length);
    }
    return score;
  }

  private async wordsOf(entry: Entry): Promise<string> {
    const { id, path, kind, stat, row } = entry;
    if (kind !== 'file') return ' ';
    const state = `${stat.size} ${stat.mtimeNs} ${row.mime_type}`;
    const known = this.texts.get(id);
    if (known?.state === state) return known.words;
    const words = wordsIn((await fileText(this.folder.locate(path), mimeTypeOf(entry))).text);
    this.texts.set(id, { state, words });
    return words;
  }
}

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

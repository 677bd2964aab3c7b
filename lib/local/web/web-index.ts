import MiniSearch from 'minisearch';
import pLimit from 'p-limit';
import { isReadable, type PageText, readPage } from './searched-text.ts';
import { snippetOf } from './snippet.ts';
import { termOf, wordsIn } from './terms.ts';
import type { WebFile, WebFolder } from './web-folder.ts';

/** A page that a search found, the best first. */
export interface FoundPage {
  path: string;
  title: string;
  score: number;
  /** The page's words that were searched for. */
  terms: string[];
}

/** A word of a query finds longer words that begin with it too, if it has as many letters. */
const minPrefixLength = 4;

/** The words of a folder's pages. It is brought up to date before each search. */
export class WebIndex {
  private readonly folder: WebFolder;
  private readonly pages = new Map<string, PageText & { version: string }>();
  private readonly words = new MiniSearch<{ path: string } & PageText>({
    idField: 'path',
    fields: ['title', 'text'],
    storeFields: ['title'],
    tokenize: (text) => wordsIn(text).map(([word]) => word),
    processTerm: termOf,
    searchOptions: { boost: { title: 2 }, prefix: (term) => term.length >= minPrefixLength },
  });
  private readonly inTurn = pLimit(1);

  constructor(folder: WebFolder) {
    this.folder = folder;
  }

  /** Returns the pages that have a word of the query, ranked by BM25. */
  async search(query: string): Promise<FoundPage[]> {
    await this.inTurn(() => this.refresh());
    return this.words
      .search(query)
      .map(({ id, title, score, terms }) => ({ path: id, title, score, terms }));
  }

  /** Returns the part of a page that has most of the words. */
  snippet(path: string, terms: readonly string[]): string {
    return snippetOf(this.pages.get(path)?.text ?? '', new Set(terms));
  }

  private async refresh(): Promise<void> {
    const files = new Map(
      [...this.folder.files()].filter(isReadable).map((file) => [file.path, file]),
    );
    for (const [path, { version }] of this.pages) {
      if (files.get(path)?.version === version) files.delete(path);
      else this.remove(path);
    }
    for (const file of files.values()) await this.add(file);
  }

  private remove(path: string): void {
    this.pages.delete(path);
    this.words.discard(path);
  }

  private async add(file: WebFile): Promise<void> {
    const { path, version } = file;
    const page = await readPage(file);
    this.pages.set(path, { ...page, version });
    this.words.add({ path, ...page });
  }
}

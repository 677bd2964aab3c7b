import { basename } from 'node:path';
import { lookup } from 'mime-types';
import MiniSearch from 'minisearch';
import pLimit from 'p-limit';
import { fileText, hasText } from '../file-text.ts';
import type { WebFile, WebFolder } from './web-folder.ts';

/** The texts that a search finds a page by, each in one line. */
interface PageText {
  title: string;
  text: string;
}

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
      this.folder
        .files()
        .filter(({ path }) => hasText(typeOf(path)))
        .map((file) => [file.path, file]),
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

  private async add({ path, diskPath, version }: WebFile): Promise<void> {
    const { title, text } = await fileText(diskPath, typeOf(path));
    const page = { title: inOneLine(title) || basename(path), text: inOneLine(text) };
    this.pages.set(path, { ...page, version });
    this.words.add({ path, ...page });
  }
}

const typeOf = (path: string) => lookup(path) || '';

const inOneLine = (text: string) => text.replace(/[\s\uFEFF]+/g, ' ').trim();

const maxSnippetCharacters = 300;
/** The words searched for lie within as many characters; the rest of the snippet leads up to them. */
const maxSpan = 240;

/** Returns the part of a text, as one line, that has most of the terms; its beginning if it has none. */
function snippetOf(text: string, terms: ReadonlySet<string>): string {
  const hits = wordsIn(text).flatMap(({ 0: word, index }) => {
    const term = termOf(word);
    return term !== null && terms.has(term) ? [{ term, index }] : [];
  });
  let best = { index: 0, worth: 0 };
  for (const [at, { index }] of hits.entries()) {
    const near = hits.slice(at, at + maxSpan).filter((hit) => hit.index < index + maxSpan);
    const worth = new Set(near.map(({ term }) => term)).size;
    if (worth > best.worth) best = { index, worth };
  }
  const lead = best.index - (maxSnippetCharacters - maxSpan);
  if (lead <= 0) return excerpt(text, 0);
  const space = text.indexOf(' ', lead);
  return excerpt(text, space === -1 || space > best.index ? best.index : space + 1);
}

function excerpt(text: string, start: number): string {
  const rest = text.slice(start);
  const isWhole = rest.length <= maxSnippetCharacters;
  const end = isWhole ? rest.length : rest.lastIndexOf(' ', maxSnippetCharacters);
  const part = rest.slice(0, end > 0 ? end : maxSnippetCharacters).trim();
  return `${start > 0 ? '… ' : ''}${part}${isWhole ? '' : ' …'}`;
}

/** Scripts without spaces between words: each of their characters counts as a word. */
const unspaced = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const wordPattern = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/** Words of a question that say nothing about its subject. No page is found by them. */
const stopWords = new Set(
  `a an and are as at be by can do does for from get gets has have how i in is it its of on or that the
  there this to was what when where which who will with`.split(/\s+/),
);

/** Returns a text's words in order, each with its place. */
const wordsIn = (text: string) => [...text.matchAll(wordPattern)];

/** Returns what a word is found by: lower case, without accents and a plural's s. Null for a stop word. */
function termOf(word: string): string | null {
  const term = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (stopWords.has(term)) return null;
  return term.length > 3 && /[^s]s$/.test(term) ? term.slice(0, -1) : term;
}

import { invalidParameter } from './drive-error.ts';
import { type Entry, rootFolderId } from './drive-folder.ts';
import { mimeTypeOf, nameOf } from './file-resource.ts';
import type { FullTexts } from './full-text.ts';

/** A search query that has been read. */
export interface SearchQuery {
  /** If the query has searches, the texts must have been loaded. */
  matches(entry: Entry, texts: FullTexts): boolean;
  /** Every match lies in one of these folders; undefined if it may lie in any. */
  parents: string[] | undefined;
  /** What is searched for in the text of files. */
  searches: string[];
}

/** A part of a query. */
type Condition = Omit<SearchQuery, 'searches'>;

const everything: SearchQuery = { matches: () => true, parents: undefined, searches: [] };

/** Reads the parameter `q` of files.list, as far as the service asks. Throws Drive's 400. @see https://developers.google.com/workspace/drive/api/guides/search-files */
export function parseQuery(q: string | undefined): SearchQuery {
  if (q === undefined || q.trim() === '') return everything;
  const reader = new QueryReader(q);
  const condition = reader.disjunction();
  reader.end();
  return { ...condition, searches: reader.searches };
}

/** What is compared by `=` and `!=`. A Drive on disk has no bin. */
const fields: Record<string, (entry: Entry) => string> = {
  trashed: () => 'false',
  name: nameOf,
  mimeType: mimeTypeOf,
};

const invalid = () => invalidParameter('q');

/** Reads a query by recursive descent: each method takes its part from the tokens that are left. */
class QueryReader {
  readonly searches: string[] = [];
  private readonly tokens: string[];

  constructor(q: string) {
    this.tokens = q.match(/'(?:\\.|[^'\\])*'|[\w.]+|!=|\S/g) ?? [];
  }

  disjunction(): Condition {
    let left = this.conjunction();
    while (this.take('or')) {
      const [one, other] = [left, this.conjunction()];
      left = {
        matches: (file, texts) => one.matches(file, texts) || other.matches(file, texts),
        parents: one.parents && other.parents && [...one.parents, ...other.parents],
      };
    }
    return left;
  }

  end(): void {
    if (this.tokens.length > 0) throw invalid();
  }

  private conjunction(): Condition {
    let left = this.term();
    while (this.take('and')) {
      const [one, other] = [left, this.term()];
      left = {
        matches: (file, texts) => one.matches(file, texts) && other.matches(file, texts),
        parents: one.parents ?? other.parents,
      };
    }
    return left;
  }

  private term(): Condition {
    if (this.take('(')) {
      const inner = this.disjunction();
      this.expect(')');
      return inner;
    }
    return this.tokens[0]?.startsWith("'") ? this.membership() : this.comparison();
  }

  private membership(): Condition {
    const id = this.text();
    this.expect('in');
    this.expect('parents');
    const folder = id === 'root' ? rootFolderId : id;
    return { matches: ({ parentId }) => parentId === folder, parents: [folder] };
  }

  private comparison(): Condition {
    const field = this.tokens.shift() ?? '';
    if (field === 'fullText') return this.search();
    const operator = this.tokens.shift() ?? '';
    const read = fields[field];
    if (!read || (operator !== '=' && operator !== '!=')) throw invalid();
    const wanted = field === 'trashed' ? this.tokens.shift() : this.text();
    return {
      matches: (entry) => (read(entry) === wanted) === (operator === '='),
      parents: undefined,
    };
  }

  private search(): Condition {
    this.expect('contains');
    const search = this.text();
    this.searches.push(search);
    return { matches: (entry, texts) => texts.score(entry, search) > 0, parents: undefined };
  }

  private text(): string {
    const token = this.tokens.shift() ?? '';
    if (!/^'.*'$/s.test(token)) throw invalid();
    return token.slice(1, -1).replace(/\\(.)/gs, '$1');
  }

  private take(token: string): boolean {
    if (this.tokens[0] !== token) return false;
    this.tokens.shift();
    return true;
  }

  private expect(token: string): void {
    if (!this.take(token)) throw invalid();
  }
}

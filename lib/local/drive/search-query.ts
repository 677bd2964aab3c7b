import { invalidParameter } from './drive-error.ts';
import { type Entry, rootFolderId } from './drive-folder.ts';
import { createdTimeOf, mimeTypeOf, modifiedTimeOf, nameOf } from './file-resource.ts';
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

/** Reads the parameter `q` of files.list. Throws Drive's 400. @see https://developers.google.com/workspace/drive/api/guides/search-files */
export function parseQuery(q: string | undefined): SearchQuery {
  if (q === undefined || q.trim() === '') return everything;
  const reader = new QueryReader(q);
  const condition = reader.disjunction();
  reader.end();
  return { ...condition, searches: reader.searches };
}

const invalid = () => invalidParameter('q');

/** Reads a query by recursive descent: each method takes its part from the tokens that are left. */
class QueryReader {
  readonly searches: string[] = [];
  private readonly tokens: string[];

  constructor(q: string) {
    this.tokens = q.match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[\w.]+|[<>!]=|\S/g) ?? [];
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
    if (this.take('not')) {
      const { matches } = this.term();
      return { matches: (file, texts) => !matches(file, texts), parents: undefined };
    }
    if (this.take('(')) {
      const inner = this.disjunction();
      this.expect(')');
      return inner;
    }
    return /^['"]/.test(this.tokens[0] ?? '') ? this.membership() : this.comparison();
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
    if (field === 'appProperties') return this.property();
    if (field === 'fullText') return this.search();
    const operator = this.tokens.shift() ?? '';
    const [read, tests] = this.operands(field);
    const test = tests[operator];
    if (!test) throw invalid();
    return { matches: (entry) => test(read(entry)), parents: undefined };
  }

  /** Returns what reads a field, and for each operator the test against the query's value. */
  private operands(field: string): [(entry: Entry) => string, Record<string, Test>] {
    if (field === 'trashed') return [() => 'false', equality(this.boolean())];
    if (field === 'name') return [nameOf, textTests(this.text(), hasWordPrefix)];
    if (field === 'mimeType') {
      return [mimeTypeOf, textTests(this.text(), (type, part) => type.startsWith(part))];
    }
    if (field === 'createdTime') return [createdTimeOf, timeTests(this.text())];
    if (field === 'modifiedTime') return [modifiedTimeOf, timeTests(this.text())];
    throw invalid();
  }

  private property(): Condition {
    for (const token of ['has', '{', 'key', '=']) this.expect(token);
    const key = this.text();
    for (const token of ['and', 'value', '=']) this.expect(token);
    const value = this.text();
    this.expect('}');
    return {
      matches: ({ row }) => JSON.parse(row.app_properties)[key] === value,
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
    if (!/^(['"]).*\1$/s.test(token)) throw invalid();
    return token.slice(1, -1).replace(/\\(.)/gs, '$1');
  }

  private boolean(): string {
    const token = this.tokens.shift() ?? '';
    if (token !== 'true' && token !== 'false') throw invalid();
    return token;
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

type Test = (value: string) => boolean;

const equality = (wanted: string): Record<string, Test> => ({
  '=': (value) => value === wanted,
  '!=': (value) => value !== wanted,
});

const textTests = (
  wanted: string,
  contains: (value: string, part: string) => boolean,
): Record<string, Test> => ({ ...equality(wanted), contains: (value) => contains(value, wanted) });

/** Whether a word of a name begins with `part`: Drive's `contains` finds nothing in the middle of a word. */
function hasWordPrefix(name: string, part: string): boolean {
  const [text, wanted] = [name.toLowerCase(), part.toLowerCase()];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true;
  }
  return false;
}

function timeTests(text: string): Record<string, Test> {
  const wanted = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(wanted)) throw invalid();
  return {
    '=': (value) => Date.parse(value) === wanted,
    '!=': (value) => Date.parse(value) !== wanted,
    '<': (value) => Date.parse(value) < wanted,
    '<=': (value) => Date.parse(value) <= wanted,
    '>': (value) => Date.parse(value) > wanted,
    '>=': (value) => Date.parse(value) >= wanted,
  };
}

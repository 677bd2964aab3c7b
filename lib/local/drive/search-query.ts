import { invalidParameter } from './drive-error.ts';
import { type Entry, ROOT_FOLDER_ID } from './drive-folder.ts';
import { createdTimeOf, mimeTypeOf, modifiedTimeOf, nameOf } from './file-resource.ts';

/** A search query as read. */
export interface SearchQuery {
  matches(entry: Entry): boolean;
  /** Folders that every match lies in one of; undefined where the query names none. */
  parents: string[] | undefined;
}

const everything: SearchQuery = { matches: () => true, parents: undefined };

/** Reads `q`; throws Drive's 400 for what it can't. */
export function parseQuery(q: string | undefined): SearchQuery {
  if (q === undefined || q.trim() === '') return everything;
  const reader = new QueryReader(q);
  const query = reader.either();
  reader.end();
  return query;
}

const invalid = () => invalidParameter('q');

class QueryReader {
  private readonly tokens: string[];

  constructor(q: string) {
    this.tokens = q.match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[\w.]+|[<>!]=|\S/g) ?? [];
  }

  either(): SearchQuery {
    let left = this.both();
    while (this.take('or')) {
      const [one, other] = [left, this.both()];
      left = {
        matches: (file) => one.matches(file) || other.matches(file),
        parents: one.parents && other.parents && [...one.parents, ...other.parents],
      };
    }
    return left;
  }

  end(): void {
    if (this.tokens.length > 0) throw invalid();
  }

  private both(): SearchQuery {
    let left = this.one();
    while (this.take('and')) {
      const [one, other] = [left, this.one()];
      left = {
        matches: (file) => one.matches(file) && other.matches(file),
        parents: one.parents ?? other.parents,
      };
    }
    return left;
  }

  private one(): SearchQuery {
    if (this.take('not')) {
      const { matches } = this.one();
      return { matches: (file) => !matches(file), parents: undefined };
    }
    if (this.take('(')) {
      const inner = this.either();
      this.expect(')');
      return inner;
    }
    return /^['"]/.test(this.tokens[0] ?? '') ? this.membership() : this.comparison();
  }

  private membership(): SearchQuery {
    const id = this.text();
    this.expect('in');
    this.expect('parents');
    const folder = id === 'root' ? ROOT_FOLDER_ID : id;
    return { matches: ({ parentId }) => parentId === folder, parents: [folder] };
  }

  private comparison(): SearchQuery {
    const term = this.tokens.shift() ?? '';
    if (term === 'appProperties') return this.property();
    const operator = this.tokens.shift() ?? '';
    const [value, compare] = this.operands(term);
    const test = compare[operator];
    if (!test) throw invalid();
    return { matches: (entry) => test(value(entry)), parents: undefined };
  }

  private operands(term: string): [(entry: Entry) => string, Record<string, Test>] {
    if (term === 'trashed') return [() => 'false', equality(this.boolean())];
    if (term === 'name') return [nameOf, textTests(this.text(), hasWordPrefix)];
    if (term === 'mimeType') {
      return [mimeTypeOf, textTests(this.text(), (type, part) => type.startsWith(part))];
    }
    if (term === 'createdTime') return [createdTimeOf, timeTests(this.text())];
    if (term === 'modifiedTime') return [modifiedTimeOf, timeTests(this.text())];
    throw invalid();
  }

  private property(): SearchQuery {
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
): Record<string, Test> => ({
  ...equality(wanted),
  contains: (value) => contains(value, wanted),
});

// Drive finds the beginnings of a name's words, not what is within one.
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

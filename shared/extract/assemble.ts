import { type Claim, escaped, type WindowAnswer } from './answer.ts';
import {
  boxesOf,
  type Evidence,
  evidenceOf,
  evidenceWithin,
  Finder,
  notFound,
} from './evidence.ts';
import type { Missed } from './messages.ts';
import type { PageBox, SourcePage } from './page.ts';
import { joinedRows, type PageLine, type PlacedRow, unclaimedLines } from './rows.ts';
import { type ExtractSpec, type Field, fieldsOf, type Group, type List } from './schema.ts';

/** What the answers about a document's windows come to. */
export interface ExtractOutcome {
  /** In the schema's shape. */
  data: unknown;
  evidence: Evidence[];
  coverage: {
    pages: {
      page: number;
      part?: string;
      /** `used` was put to a model that answered; `left_out` was not. */
      status: 'used' | 'empty' | 'failed' | 'left_out';
    }[];
    arrays: {
      path: string;
      returned: number;
      on_pages: number | null;
      /** The first hundred rows found on pages that no row of the answers claims. */
      missing: { page: number; text: string; box: PageBox | null }[];
    }[];
  };
  /** The rows that are missing, by the window that is to be asked for them again. */
  missed: Map<number, Missed[]>;
}

const maxMissing = 100;

/** Joins what was answered about windows, and proves it by the words of the pages. */
export function assemble(
  spec: ExtractSpec,
  pages: readonly SourcePage[],
  answers: readonly WindowAnswer[],
): ExtractOutcome {
  const inOrder = answers.toSorted((one, other) => one.window.first - other.window.first);
  const assembly = new Assembly(spec, new Finder(pages), inOrder);
  const data = assembly.groupAt(fieldsOf(spec.schema), '');
  return {
    data,
    evidence: assembly.evidence,
    coverage: { pages: coverageOf(pages, inOrder), arrays: assembly.arrays },
    missed: assembly.missed,
  };
}

function coverageOf(pages: readonly SourcePage[], answers: readonly WindowAnswer[]) {
  const isUsed = (page: number) =>
    answers.some(({ window }) => window.first <= page && page <= window.last);
  return pages.map(({ page, part, status }) => ({
    page,
    ...(part !== undefined && { part }),
    status: status !== 'read' ? status : isUsed(page) ? ('used' as const) : ('left_out' as const),
  }));
}

class Assembly {
  readonly evidence: Evidence[] = [];
  readonly arrays: ExtractOutcome['coverage']['arrays'] = [];
  readonly missed = new Map<number, Missed[]>();
  private readonly spec: ExtractSpec;
  private readonly finder: Finder;
  private readonly answers: readonly WindowAnswer[];

  constructor(spec: ExtractSpec, finder: Finder, answers: readonly WindowAnswer[]) {
    this.spec = spec;
    this.finder = finder;
    this.answers = answers;
  }

  groupAt(group: Group, path: string): Record<string, unknown> {
    const entries = group.fields.map(([name, field]) => {
      const at = `${path}/${escaped(name)}`;
      if (field.is === 'group') return [name, this.groupAt(field, at)];
      return [name, field.is === 'list' ? this.listAt(field, at) : this.valueAt(field, at)];
    });
    return Object.fromEntries(entries);
  }

  /** The value that is proved best among those that the windows claim. */
  private valueAt(scalar: Extract<Field, { is: 'scalar' }>, path: string): unknown {
    let best: { claim: Claim; evidence: Evidence } | undefined;
    for (const { window, claims } of this.answers) {
      const claim = claims.get(path);
      if (!claim || claim.value === null) continue;
      const evidence = evidenceOf(path, claim, scalar, this.finder, window);
      if (!best || (evidence.confidence ?? -1) > (best.evidence.confidence ?? -1)) {
        best = { claim, evidence };
      }
    }
    if (!best) return null;
    this.evidence.push(best.evidence);
    return this.proved(best.claim.value, best.evidence);
  }

  private proved(value: unknown, { found }: Evidence): unknown {
    return found === 'not found' && this.spec.require_evidence ? null : value;
  }

  private listAt({ item }: List, path: string): unknown[] {
    const joined = joinedRows(path, this.answers, this.finder);
    const rows = this.spec.require_evidence ? joined.filter(({ found }) => found) : joined;
    this.countRows(path, joined, rows.length);
    return rows.map((row, index) =>
      item.is === 'scalar'
        ? this.cellAt(item, row, '', `${path}/${index}`)
        : this.cellsAt(item, row, '', `${path}/${index}`),
    );
  }

  private cellsAt(group: Group, row: PlacedRow, within: string, path: string): object {
    const entries = group.fields.map(([name, field]) => {
      const step = `/${escaped(name)}`;
      if (field.is === 'list') return [name, []];
      const cell =
        field.is === 'group'
          ? this.cellsAt(field, row, `${within}${step}`, `${path}${step}`)
          : this.cellAt(field, row, `${within}${step}`, `${path}${step}`);
      return [name, cell];
    });
    return Object.fromEntries(entries);
  }

  private cellAt(
    scalar: Extract<Field, { is: 'scalar' }>,
    { row, found }: PlacedRow,
    within: string,
    path: string,
  ): unknown {
    const value = row.values.get(within) ?? null;
    if (value === null) return null;
    const evidence = found
      ? evidenceWithin(path, value, scalar, found, row.quote)
      : notFound(path, row.quote);
    this.evidence.push(evidence);
    return this.proved(value, evidence);
  }

  private countRows(path: string, rows: readonly PlacedRow[], returned: number): void {
    const used = this.finder.pages.filter(({ page: { page } }) =>
      this.answers.some(({ window }) => window.first <= page && page <= window.last),
    );
    const lines = unclaimedLines(rows, used);
    const placed = rows.filter(({ found }) => found).length;
    this.arrays.push({
      path,
      returned,
      on_pages: lines ? placed + lines.length : null,
      missing: (lines ?? []).slice(0, maxMissing).map(missingOf),
    });
    for (const { index, text } of lines ?? []) {
      const { page } = index.page;
      const window = this.answers.find(
        ({ window: { first, last } }) => first <= page && page <= last,
      )?.window;
      if (!window) continue;
      const missed = this.missed.get(window.index) ?? [];
      this.missed.set(window.index, [...missed, { page, text }]);
    }
  }
}

const missingOf = ({ index, range, text }: PageLine) => ({
  page: index.page.page,
  text,
  box: boxesOf(index.words.slice(range.from, range.to + 1))[0] ?? null,
});

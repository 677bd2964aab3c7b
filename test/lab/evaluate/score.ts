import { compare } from './compare.ts';
import type { ExpectedDocument, Place } from './expected.ts';
import type { Extraction, FoundEvidence, PageBox } from './extraction.ts';

/** How many were right, of those that were returned and of those that there are. */
export interface Score {
  right: number;
  returned: number;
  expected: number;
}

export interface RowScore extends Score {
  missing: number;
  doubled: number;
  invented: number;
  out_of_order: number;
  /** Missing rows that the result itself tells of. */
  told_missing: number;
}

/** What a document's extraction is worth. */
export interface DocumentScore {
  values: Score;
  /** Values that are wrong, and of them those that are marked, as no page shows them. */
  wrong: { values: number; marked: number };
  evidence: Score & {
    /** Of places that are right: intersection over union with the true box, on average. */
    overlap: number | null;
  };
  rows: RowScore;
}

/** Compares what was extracted from a document with what is true of it. */
export function scoreOf(
  document: ExpectedDocument,
  { data, evidence, coverage }: Pick<Extraction, 'data' | 'evidence' | 'coverage'>,
): DocumentScore {
  const { values, rows, returnedPathOf } = compare(document.values, data);
  const found = withRows(new Map(evidence.map((each) => [each.path, each])));
  const returned = values.filter((each) => each.returned !== null);
  const wrong = returned.filter(({ isRight }) => !isRight);
  return {
    values: {
      right: returned.length - wrong.length,
      returned: returned.length,
      expected: values.filter((each) => each.expected !== null).length,
    },
    wrong: {
      values: wrong.length,
      marked: wrong.filter(({ returnedPath = '' }) => !hasPlace(found.get(returnedPath))).length,
    },
    evidence: scoreEvidence(document.evidence, found, returnedPathOf),
    rows: {
      right: sum(rows.map(({ expectedCount, missing }) => expectedCount - missing.length)),
      returned: sum(rows.map(({ returnedCount }) => returnedCount)),
      expected: sum(rows.map(({ expectedCount }) => expectedCount)),
      missing: sum(rows.map(({ missing }) => missing.length)),
      doubled: sum(rows.map(({ doubled }) => doubled)),
      invented: sum(rows.map(({ invented }) => invented)),
      out_of_order: sum(rows.map(({ outOfOrder }) => outOfOrder)),
      told_missing: sum(
        coverage.arrays.map((array) => Math.max(0, (array.on_pages ?? 0) - array.returned)),
      ),
    },
  };
}

/** Adds the scores of documents. */
export function totalOf(scores: readonly DocumentScore[]): DocumentScore {
  const overlaps = scores.filter(({ evidence }) => evidence.overlap !== null);
  const placed = sum(overlaps.map(({ evidence }) => evidence.right));
  return {
    values: added(scores.map(({ values }) => values)),
    wrong: added(scores.map(({ wrong }) => wrong)),
    evidence: {
      ...added(scores.map(({ evidence: { overlap: _, ...score } }) => score)),
      overlap:
        placed === 0
          ? null
          : sum(overlaps.map(({ evidence }) => (evidence.overlap ?? 0) * evidence.right)) / placed,
    },
    rows: added(scores.map(({ rows }) => rows)),
  };
}

/** The share of what was returned that is right; 1 where nothing was. */
export const precisionOf = ({ right, returned }: Score) => (returned === 0 ? 1 : right / returned);

/** The share of what there is that was returned right; 1 where there is nothing. */
export const recallOf = ({ right, expected }: Score) => (expected === 0 ? 1 : right / expected);

/** Of what was returned only that counts whose true place is known. */
function scoreEvidence(
  expected: ExpectedDocument['evidence'],
  found: ReadonlyMap<string, FoundEvidence>,
  returnedPathOf: ReadonlyMap<string, string>,
) {
  const overlaps: number[] = [];
  let right = 0;
  let returned = 0;
  let counted = 0;
  for (const [path, place] of Object.entries(expected)) {
    const evidence = found.get(returnedPathOf.get(path) ?? '');
    counted += 1;
    if (!hasPlace(evidence)) continue;
    returned += 1;
    if (!isAt(place, evidence)) continue;
    right += 1;
    if (place.box) overlaps.push(overlapOf(place.box, evidence.boxes));
  }
  return {
    ...{ right, returned, expected: counted },
    overlap: overlaps.length === 0 ? null : sum(overlaps) / overlaps.length,
  };
}

/** Adds to the places of cells those of rows, where there are none: a row stands where its cells do. */
function withRows(found: ReadonlyMap<string, FoundEvidence>): Map<string, FoundEvidence> {
  const all = new Map(found);
  for (const { path, page, boxes, found: how } of found.values()) {
    const [row] = path.match(/^.*\/\d+(?=\/)/) ?? [];
    if (row === undefined || found.has(row) || how === 'not found') continue;
    const { page: rowPage = page, boxes: others = [] } = all.get(row) ?? {};
    const own = rowPage === page ? boxes : [];
    all.set(row, { path: row, page: rowPage, boxes: [...others, ...own], found: how });
  }
  return all;
}

const hasPlace = (evidence: FoundEvidence | undefined): evidence is FoundEvidence =>
  evidence !== undefined && evidence.found !== 'not found' && evidence.page !== null;

/** Whether the page is right and, where boxes are known, half of the smaller one lies in the other. */
function isAt({ page, box }: Place, evidence: FoundEvidence): boolean {
  if (page !== evidence.page) return false;
  if (!box || evidence.boxes.length === 0) return true;
  const common = sum(evidence.boxes.map((each) => areaOf(intersection(box, each))));
  const smaller = Math.min(areaOf(box), sum(evidence.boxes.map(areaOf)));
  return common >= smaller / 2;
}

/** Boxes of lines don't lie over one another. */
function overlapOf(box: PageBox, boxes: readonly PageBox[]): number {
  const common = sum(boxes.map((each) => areaOf(intersection(box, each))));
  return common / Math.max(1e-9, areaOf(box) + sum(boxes.map(areaOf)) - common);
}

const intersection = (a: PageBox, b: PageBox): PageBox => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
];

const areaOf = ([left, top, right, bottom]: PageBox) =>
  Math.max(0, right - left) * Math.max(0, bottom - top);

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

function added<Figures extends Record<keyof Figures, number>>(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0] ?? {}) as (keyof Figures)[];
  const sums = names.map((name) => [name, sum(all.map((each) => each[name]))]);
  return Object.fromEntries(sums) as Figures;
}

import type { WindowAnswer } from './answers/answer.ts';
import {
  type ArrayField,
  arraysOf,
  cellsOf,
  type Path,
  type Placed,
  pointerOf,
  put,
  scalarsOf,
  type Value,
} from './asked/field.ts';
import { readSchema } from './asked/read-schema.ts';
import type { ExtractSpec } from './asked/spec.ts';
import { evidenceOf, provenBy, unproven } from './evidence.ts';
import type { ArrayCoverage, Evidence, ExtractOutcome, MissedLine } from './outcome.ts';
import { placeByColumn } from './rows/by-column.ts';
import { type PlacedRow, placeRows } from './rows/place-rows.ts';
import { isShown, unclaimedLines } from './rows/unclaimed-lines.ts';
import type { SourcePage } from './words/page.ts';
import { type ReadPage, readPage } from './words/read-page.ts';

const maxMissing = 100;

/** Joins the answers of all windows, repairs last, and finds the place of each value. */
export function assemble(
  spec: ExtractSpec,
  sources: readonly SourcePage[],
  answers: readonly WindowAnswer[],
): ExtractOutcome {
  const root = readSchema(spec.schema);
  const isUsed = ({ page }: { page: number }) =>
    answers.some(({ window }) => page >= window.first && page <= window.last);
  const pages = sources
    .filter((source) => source.status === 'read' && isUsed(source))
    .map(readPage);
  const data: Record<string, unknown> = {};
  const evidence: Evidence[] = [];
  for (const { path } of scalarsOf(root)) {
    const { value, proof } = scalarOf(path, answers, pages);
    const isKept = proof?.found !== 'not found' || !spec.require_evidence;
    put(data, path, isKept ? value : null);
    if (proof) evidence.push(proof);
  }
  const lists = arraysOf(root).map((array) => rowsOf(array, spec, answers, pages));
  for (const { array, values, proofs } of lists) {
    put(data, array.path, values);
    for (const proof of proofs) evidence.push(proof);
  }
  return {
    data,
    evidence,
    coverage: {
      pages: sources.map(({ page, part, status }) => ({
        page,
        ...(part !== undefined && { part }),
        status: status !== 'read' ? status : isUsed({ page }) ? 'used' : 'left_out',
      })),
      arrays: lists.map(({ coverage }) => coverage),
    },
    missed: missedOf(
      lists.flatMap(({ missed }) => missed),
      answers,
    ),
  };
}

/** Returns the first value that was found, among the windows' values, else the first one. */
function scalarOf(
  path: Path,
  answers: readonly WindowAnswer[],
  pages: readonly ReadPage[],
): { value: Value; proof?: Evidence } {
  const pointer = pointerOf(path);
  let first: { value: Value; proof: Evidence } | undefined;
  for (const { window, values } of answers) {
    const answered = values[pointer];
    if (!answered || answered.value === null) continue;
    const within = pages.filter(({ page }) => page >= window.first && page <= window.last);
    const proof = evidenceOf(pointer, answered, within);
    if (proof.found !== 'not found') return { value: answered.value, proof };
    first ??= { value: answered.value, proof };
  }
  return first ?? { value: null };
}

function rowsOf(
  array: Placed<ArrayField>,
  { require_evidence }: ExtractSpec,
  answers: readonly WindowAnswer[],
  pages: readonly ReadPage[],
) {
  const path = pointerOf(array.path);
  const all = placeRows(path, answers, pages);
  placeByColumn(all);
  const isProven = ({ parts }: PlacedRow) => parts.length > 0 || !require_evidence;
  const rows = all.filter(isProven);
  const proofs: Evidence[] = [];
  const values = rows.map(({ row, cells }, index) => {
    const made: Record<string, unknown> = {};
    for (const [n, cell] of cellsOf(array.field).entries()) {
      const value = row.values[n] ?? null;
      const at = cells[n];
      put(
        made,
        cell.path.length === 0 ? ['value'] : cell.path,
        at || !require_evidence ? value : null,
      );
      if (value === null) continue;
      const pointer = `${path}/${index}${pointerOf(cell.path)}`;
      proofs.push(
        at
          ? provenBy(pointer, at.part.page, at.part.place, at.place)
          : unproven(pointer, row.quote),
      );
    }
    return array.field.items.kind === 'scalar' ? made['value'] : made;
  });
  for (const row of all) {
    if (!isProven(row)) proofs.push(unproven(`${path}/-`, row.row.quote));
  }
  const lines = unclaimedLines(array.field, all, pages);
  const missed = (lines ?? []).map(
    ({ page, text, box }): MissedLine => ({ path, page: page.page, text, box }),
  );
  const coverage: ArrayCoverage = {
    path,
    returned: rows.length,
    on_pages: lines ? all.filter(isShown).length + lines.length : null,
    missing: missed.slice(0, maxMissing).map(({ path: _, ...line }) => line),
  };
  return { array, values, proofs, coverage, missed };
}

/** Each line is asked of the first window that has its page. */
const missedOf = (missed: readonly MissedLine[], answers: readonly WindowAnswer[]) =>
  Map.groupBy(missed, ({ page }) => {
    const answer = answers.find(({ window }) => page >= window.first && page <= window.last);
    return answer?.window.index ?? 0;
  });

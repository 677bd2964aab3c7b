import type { WindowAnswer } from './answer.ts';
import { evidenceOf, provenBy, unproven } from './evidence.ts';
import {
  type ArrayField,
  arraysOf,
  cellsOf,
  type Placed,
  pointerOf,
  put,
  type ScalarField,
  scalarsOf,
} from './field.ts';
import type { ArrayCoverage, Evidence, ExtractOutcome, Missed } from './outcome.ts';
import type { SourcePage } from './page.ts';
import { readSchema } from './read-schema.ts';
import { placeRows } from './rows/place-rows.ts';
import { unclaimedLines } from './rows/unclaimed-lines.ts';
import type { ExtractSpec } from './spec.ts';
import type { Value } from './value.ts';
import { type ReadPage, readPage } from './words/read-page.ts';

const maxMissing = 100;

/** Joins the answers of all windows, those of repairs after the others, and finds where each value stands. */
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
  for (const scalar of scalarsOf(root)) {
    const { value, proof } = scalarOf(scalar, answers, pages);
    const isKept = proof?.found !== 'not found' || !spec.require_evidence;
    put(data, scalar.path, isKept ? value : null);
    if (proof) evidence.push(proof);
  }
  const lists = arraysOf(root).map((array) => rowsOf(array, spec, answers, pages));
  for (const { array, values, proofs } of lists) {
    put(data, array.path, values);
    evidence.push(...proofs);
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

/** Of the windows' values the first that was found counts, else the first one. */
function scalarOf(
  { path, field }: Placed<ScalarField>,
  answers: readonly WindowAnswer[],
  pages: readonly ReadPage[],
): { value: Value; proof?: Evidence } {
  const pointer = pointerOf(path);
  let first: { value: Value; proof: Evidence } | undefined;
  for (const { window, values } of answers) {
    const answered = values[pointer];
    if (!answered || answered.value === null) continue;
    const within = pages.filter(({ page }) => page >= window.first && page <= window.last);
    const proof = evidenceOf(pointer, field, answered, within);
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
  const all = placeRows(array.field, path, answers, pages);
  const rows = require_evidence ? all.filter(({ place }) => place) : all;
  const proofs: Evidence[] = [];
  const values = rows.map(({ row, page, place, cells }, index) => {
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
        page && place && at ? provenBy(pointer, page, place, at) : unproven(pointer, row.quote),
      );
    }
    return array.field.items.kind === 'scalar' ? made['value'] : made;
  });
  const lines = unclaimedLines(array.field, all, pages);
  const missed: Missed[] = (lines ?? []).map(({ page, text, box }) => ({ path, page, text, box }));
  const coverage: ArrayCoverage = {
    path,
    returned: rows.length,
    on_pages: lines ? all.filter(({ place }) => place).length + lines.length : null,
    missing: missed.slice(0, maxMissing).map(({ path: _, ...line }) => line),
  };
  return { array, values, proofs, coverage, missed };
}

/** Each line is asked of the first window that has its page. */
function missedOf(missed: readonly Missed[], answers: readonly WindowAnswer[]) {
  const byWindow = new Map<number, Missed[]>();
  for (const line of missed) {
    const answer = answers.find(
      ({ window }) => line.page >= window.first && line.page <= window.last,
    );
    if (!answer) continue;
    const { index } = answer.window;
    byWindow.set(index, [...(byWindow.get(index) ?? []), line]);
  }
  return byWindow;
}

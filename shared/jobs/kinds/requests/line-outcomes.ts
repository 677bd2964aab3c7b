import type { ClaimedJob } from '../../engine/item/job.ts';
import { stepFields } from '../../engine/item/steps.ts';
import { type LineStep, lastLineName, lineName, numberOf } from './file-line.ts';

/** The lines that have a step, by their numbers, and how many of them failed. */
export interface Outcomes {
  done: Set<number>;
  failed: number;
}

/** Reads which lines of a job were asked by now. */
export async function keptOutcomes(job: ClaimedJob): Promise<Outcomes> {
  const kept: Outcomes = { done: new Set(), failed: 0 };
  for await (const { name, value } of stepFields<LineStep>(
    job,
    lineName(1),
    lastLineName,
    'failed',
  )) {
    kept.done.add(numberOf(name));
    if (value?.failed) kept.failed += 1;
  }
  return kept;
}

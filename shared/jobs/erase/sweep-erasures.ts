import { sweepDue } from '../../aws/sweep-due.ts';
import { setting } from '../../config.ts';
import { findItem, type JobKey } from '../engine/item/job.ts';
import { eraseDependents } from './erase-dependents.ts';
import { type Erasure, erasureLane } from './erasure.ts';

/** How long a sweep, which has a minute, goes on before it leaves the rest to the next. */
const patienceMs = 40_000;

/** Goes on with each erasure that is due: it broke off, was too long, or waited for its job's workers to end. */
export async function sweepErasures(): Promise<void> {
  const table = setting('JOBS_TABLE');
  // One by one: each erases many things at once.
  const due = { table, lane: erasureLane, limit: 1, thing: 'erasure', patienceMs };
  await sweepDue<JobKey>(due, async (key, untilMs) => {
    const erasure = await findItem<Erasure>(key);
    if (erasure) await eraseDependents(erasure, untilMs);
  });
}

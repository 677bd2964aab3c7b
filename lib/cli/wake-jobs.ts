import { wakeWaiting } from '../../shared/jobs/operators/wake.ts';
import { reach, type Target } from './target.ts';

/** Has jobs ask again that wait for limits of keys, as these have changed. Returns how many, in words. */
export async function wakeJobs(target: Target, keyIds: readonly string[]): Promise<string> {
  await reach(target, 'JOBS_TABLE');
  const woken = await wakeWaiting(keyIds);
  return woken === 0 ? '' : ` Jobs that ask again within a minute: ${woken}.`;
}

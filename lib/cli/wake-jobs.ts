import { wakeWaiting } from '../../shared/jobs/operators/wake.ts';
import { reach, type Target } from './target.ts';

/** Has the waiting jobs of keys ask again whose limits have changed. Returns what is said of it. */
export async function wakeJobs(target: Target, keyIds: readonly string[]): Promise<string> {
  await reach(target, 'JOBS_TABLE');
  const woken = await wakeWaiting(keyIds);
  return woken === 0 ? '' : ` Jobs that ask again within a minute: ${woken}.`;
}

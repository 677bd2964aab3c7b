import pLimit from 'p-limit';
import { instant, isPart } from '../jobs/engine/item/job.ts';
import { openJobs } from '../jobs/operators/open-jobs.ts';
import type { ApiKey } from '../keys/key.ts';
import { type Budget, budgetOf } from '../keys/limits-report.ts';
import { readAccounts } from '../ledger/read-account.ts';
import { lastChargeMs } from '../ledger/read-charges.ts';

/** How a key stands now. */
export interface KeySummary {
  /** Null for a key that died before its account was opened. */
  budget: Budget | null;
  /** When the last of its calls began that has ended; null for none in 400 days. */
  last_used_at: string | null;
  jobs: JobsOpen;
}

/** How many of a key's jobs wait, and how many run or wait for what was made for them. */
interface JobsOpen {
  queued: number;
  running: number;
}

const readsAtOnce = 16;

/** Reads the accounts of keys, a hundred at a time, the last charge of each, and all open jobs once. */
export async function summariesOf(
  keys: readonly ApiKey[],
  onKey: (done: number) => void = () => {},
): Promise<Map<string, KeySummary>> {
  let done = 0;
  const accounts = await readAccounts(keys.map(({ id }) => id));
  const lastUsed = async ({ id }: ApiKey) => {
    const lastMs = await lastChargeMs(accounts.get(id) ?? { charges_under: [id] });
    onKey(++done);
    return [id, lastMs === undefined ? null : instant(lastMs)] as const;
  };
  const [jobs, used] = await Promise.all([
    countOpenJobs(),
    pLimit(readsAtOnce).map(keys, lastUsed),
  ]);
  return new Map(
    used.map(([id, last_used_at]) => {
      const account = accounts.get(id);
      const budget = account ? budgetOf(account) : null;
      return [id, { budget, last_used_at, jobs: jobs.get(id) ?? { queued: 0, running: 0 } }];
    }),
  );
}

/** Counts the open jobs of each key. The parts of a document are its one job's. */
async function countOpenJobs(): Promise<Map<string, JobsOpen>> {
  const counts = new Map<string, JobsOpen>();
  for await (const jobs of openJobs()) {
    for (const job of jobs) {
      if (isPart(job)) continue;
      const count = counts.get(job.key_id) ?? { queued: 0, running: 0 };
      count[job.status === 'queued' ? 'queued' : 'running'] += 1;
      counts.set(job.key_id, count);
    }
  }
  return counts;
}

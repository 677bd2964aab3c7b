import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { dynamodb, getItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { instant, isSection } from '../jobs/job.ts';
import { openJobs } from '../jobs/operators/open-jobs.ts';
import type { ApiKey } from '../keys/key.ts';
import { type Budget, budgetOf } from '../keys/limits-report.ts';
import { type Account, accountKey } from '../ledger/account.ts';
import { timeOfId } from '../uuid-time.ts';

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

/**
 * Reads how keys stand: their accounts, a hundred at a time; the last charge of each, by a query; and once all jobs
 * that have not ended.
 */
export async function summariesOf(
  keys: readonly ApiKey[],
  onKey: (done: number) => void = () => {},
): Promise<Map<string, KeySummary>> {
  const limit = pLimit(readsAtOnce);
  let done = 0;
  const lastUsed = (id: string) =>
    limit(async () => {
      const at = await lastUsedAt(id);
      onKey(++done);
      return [id, at] as const;
    });
  const [budgets, jobs, used] = await Promise.all([
    readBudgets(keys),
    countOpenJobs(),
    Promise.all(keys.map(({ id }) => lastUsed(id))),
  ]);
  return new Map(
    used.map(([id, last_used_at]) => [
      id,
      {
        budget: budgets.get(id) ?? null,
        last_used_at,
        jobs: jobs.get(id) ?? { queued: 0, running: 0 },
      },
    ]),
  );
}

async function readBudgets(keys: readonly ApiKey[]): Promise<Map<string, Budget>> {
  const accounts = keys.map(({ id }) => accountKey(id));
  const budgets = new Map<string, Budget>();
  for await (const account of getItems<Account>(setting('LEDGER_TABLE'), accounts)) {
    budgets.set(account.key_id, budgetOf(account));
  }
  return budgets;
}

async function lastUsedAt(keyId: string): Promise<string | null> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('LEDGER_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :charge)',
      ExpressionAttributeValues: { ':key': keyId, ':charge': 'charge_' },
      ProjectionExpression: 'entry',
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  const [charge] = Items;
  return charge ? instant(timeOfId(String(charge['entry']))) : null;
}

/** Counts the open jobs of each key. The parts of a document are its one job's. */
async function countOpenJobs(): Promise<Map<string, JobsOpen>> {
  const counts = new Map<string, JobsOpen>();
  for await (const jobs of openJobs()) {
    for (const job of jobs) {
      if (isSection(job)) continue;
      const count = counts.get(job.key_id) ?? { queued: 0, running: 0 };
      count[job.status === 'queued' ? 'queued' : 'running'] += 1;
      counts.set(job.key_id, count);
    }
  }
  return counts;
}

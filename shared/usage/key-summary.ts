import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { dynamodb, getItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { instant, isSection } from '../jobs/engine/item/job.ts';
import { openJobs } from '../jobs/operators/open-jobs.ts';
import type { ApiKey } from '../keys/key.ts';
import { type Budget, budgetOf } from '../keys/limits-report.ts';
import { type Account, accountKey } from '../ledger/account/account.ts';
import { idsOf } from '../ledger/parts/part-id.ts';
import { findWhole } from '../ledger/parts/whole.ts';
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
  const accounts = await readAccounts(keys);
  const lastUsed = (id: string) =>
    limit(async () => {
      const ids = idsOf(accounts.get(id) ?? { key_id: id });
      const at = (await Promise.all(ids.map(lastUsedAt))).sort().at(-1) || null;
      onKey(++done);
      return [id, at] as const;
    });
  const [budgets, jobs, used] = await Promise.all([
    budgetsOf(accounts),
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

async function readAccounts(keys: readonly ApiKey[]): Promise<Map<string, Account>> {
  const accounts = new Map<string, Account>();
  const items = keys.map(({ id }) => accountKey(id));
  for await (const account of getItems<Account>(setting('LEDGER_TABLE'), items)) {
    accounts.set(account.key_id, account);
  }
  return accounts;
}

/** The budgets of accounts. Those in parts, which are few, are read as a whole. */
async function budgetsOf(accounts: Map<string, Account>): Promise<Map<string, Budget>> {
  const budgets = new Map<string, Budget>();
  for (const [id, account] of accounts) {
    const whole = account.parts === undefined ? account : await findWhole(id);
    if (whole) budgets.set(id, budgetOf(whole));
  }
  return budgets;
}

async function lastUsedAt(partId: string): Promise<string> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('LEDGER_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :charge)',
      ExpressionAttributeValues: { ':key': partId, ':charge': 'charge_' },
      ProjectionExpression: 'entry',
      ScanIndexForward: false,
      Limit: 1,
    }),
  );
  const [charge] = Items;
  return charge ? instant(timeOfId(String(charge['entry']))) : '';
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

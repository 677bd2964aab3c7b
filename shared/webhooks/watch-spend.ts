import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { writeTransaction } from '../aws/transact.ts';
import { newItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { type AccountReading, readAccount } from '../ledger/read-account.ts';
import { maxBudgetNanoUsd, toUsd } from '../ledger/terms/nano-usd.ts';
import { never } from '../ledger/terms/window.ts';
import { type AccountChange, accountChange } from '../ledger/watch.ts';
import { errorFields, log } from '../log.ts';
import { eventPut, findListener, newEvent, newEventId } from './event.ts';

/** The parts of its budget at which an account's spend is told. */
const percents = [50, 80, 100] as const;
type Percent = (typeof percents)[number];

/** From where on a budget counts as spent: the rest is too little to hold for most calls, and stays. */
const spentFrom = 0.995;

/** Markers are kept as long as charges, so that none is told twice. */
const markerSeconds = 400 * 86_400;

/** Reads a batch of the ledger's stream: notes an event for each part of its budget that an account has come to. */
export async function watchSpend({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const batchItemFailures: DynamoDBBatchResponse['batchItemFailures'] = [];
  const seen = new Set<string>();
  // One after another, as few need a write: so the events of an account are in order.
  for (const record of Records) {
    if (!(await watch(record, seen))) {
      batchItemFailures.push({ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' });
    }
  }
  return { batchItemFailures };
}

/** Returns whether all that a record shows was noted. */
async function watch(record: DynamoDBRecord, seen: Set<string>): Promise<boolean> {
  const change = accountChange(record);
  if (!change) return true;
  const { id, figures } = change;
  try {
    if (figures) await watchChange(figures);
    else await watchRead(id, seen);
    return true;
  } catch (error) {
    log('error', 'spend not told', { key_id: id, ...errorFields(error) });
    return false;
  }
}

async function watchChange({ before, after }: NonNullable<AccountChange['figures']>) {
  const reached = percents.filter((percent) => comesTo(percent, before, after));
  if (reached.length > 0 && (await findListener(after.key_id))) {
    for (const percent of reached) await noteReached(after, percent);
  }
}

/** The marks of events that this process noted, so that it doesn't try again at each change of the account. */
const told = new Set<string>();
const maxTold = 10_000;

/** Reads an account that the stream shows only in part, once a batch, and notes the percents that it has reached. */
async function watchRead(id: string, seen: Set<string>): Promise<void> {
  if (seen.has(id)) return;
  const whole = await readAccount(id);
  const reached = percents.filter(
    (percent) => whole && isAt(percent, whole) && !told.has(`${id} ${markOf(whole, percent)}`),
  );
  if (whole && reached.length > 0 && (await findListener(id))) {
    for (const percent of reached) {
      await noteReached(whole, percent);
      if (told.size >= maxTold) told.clear();
      told.add(`${id} ${markOf(whole, percent)}`);
    }
  }
  seen.add(id);
}

const markOf = ({ window, ceiling }: AccountReading, percent: Percent) =>
  `reached_${window}_${ceiling}_${percent}`;

/** Whether a change brings an account to a part of its budget: by what it spends, or by what the budget is. */
function comesTo(percent: Percent, before: AccountReading, after: AccountReading): boolean {
  const wasThere = before.window === after.window && isAt(percent, before);
  return isAt(percent, after) && !wasThere;
}

function isAt(percent: Percent, { spent, ceiling }: AccountReading): boolean {
  if (ceiling <= 0 || ceiling >= maxBudgetNanoUsd) return false;
  return spent / ceiling >= (percent === 100 ? spentFrom : percent / 100);
}

/** Notes the event in one transaction with a mark: it happens once in a window and for a budget, also for repeated records. */
async function noteReached(account: AccountReading, percent: Percent): Promise<void> {
  const { key_id, ceiling, spent, window_starts_at, window_ends_at } = account;
  const event = newEvent(key_id, newEventId(), 'budget.reached', {
    account_id: key_id,
    percent,
    max_usd: toUsd(ceiling),
    used_usd: toUsd(spent),
    window_starts_at,
    reset_at: window_ends_at === never ? null : window_ends_at,
    path: '/user/limits',
  });
  const mark = {
    key_id,
    entry: markOf(account, percent),
    expires_at: Math.floor(Date.now() / 1000) + markerSeconds,
  };
  const marking = { Put: newItem(setting('WEBHOOKS_TABLE'), mark) };
  await writeTransaction([marking, { Put: eventPut(event) }]);
}

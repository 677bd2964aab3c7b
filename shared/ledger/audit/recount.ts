import { updateItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { log } from '../../log.ts';
import { type Account, accountKey, findAccount, inWindow, windowOf } from '../account/account.ts';
import {
  doneAttribute,
  endedAttribute,
  heldAttribute,
  recountAttribute,
  runningAttribute,
  settledAttribute,
} from '../account/epoch.ts';
import { type EpochSums, sumCharges } from './epoch-charges.ts';

/** Has an epoch of an account recounted: from now on it takes no credit of it. Does nothing if it was audited. */
export async function beginRecount(accountId: string, epoch: number): Promise<void> {
  await updateItem({
    TableName: setting('LEDGER_TABLE'),
    Key: accountKey(accountId),
    ConditionExpression: 'attribute_exists(#held) AND attribute_not_exists(#recount)',
    UpdateExpression:
      'SET #recount = :one, #ended = if_not_exists(#ended, :zero), #done = if_not_exists(#done, :zero)',
    ExpressionAttributeNames: {
      '#held': heldAttribute(epoch),
      '#recount': recountAttribute(epoch),
      '#ended': endedAttribute(epoch),
      '#done': doneAttribute(epoch),
    },
    ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
  });
}

const maxTries = 5;

/**
 * Makes an account agree with the charges of an epoch whose recount has begun, as lost credits would have. What the
 * charges hold and cost beyond all credits was not credited; as no credit comes meanwhile, it never gives back too
 * much. Returns false if it is to be tried again. Does nothing if an audit has closed the epoch.
 */
export async function recount(accountId: string, epoch: number): Promise<boolean> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const account = await findAccount(accountId);
    if (account?.[recountAttribute(epoch)] === undefined) return true;
    if (account[endedAttribute(epoch)] === undefined) return true;
    const lacking = lackingOf(account, epoch, await sumCharges(accountId, epoch));
    if (!lacking) return false;
    const { held, requests, cost } = lacking;
    if (held === 0 && requests === 0 && cost === 0) return true;
    if (await updateItem(creditOf(account, epoch, lacking))) {
      log('warn', 'lost credits found', { key_id: accountId, held, requests, cost });
      return true;
    }
  }
  return false;
}

/** What charges say that was never credited. */
interface Lacking {
  held: number;
  requests: number;
  cost: number;
}

/** Returns undefined where the sums can't tell, as a charge is on its way. */
function lackingOf(account: Account, epoch: number, sums: EpochSums): Lacking | undefined {
  const window = windowOf(account);
  const held = sums.held - (account[endedAttribute(epoch)] ?? 0);
  const requests = sums.requests - (account[doneAttribute(epoch)] ?? 0);
  const cost = (sums.costs.get(window) ?? 0) - (account[settledAttribute(epoch, window)] ?? 0);
  const isKnown = requests >= 0 && cost >= 0 && held >= cost;
  return isKnown ? { held, requests, cost } : undefined;
}

/** The credit of what was lacking. Its condition is that no recount has come first, and the window is the same. */
function creditOf(account: Account, epoch: number, { held, requests, cost }: Lacking) {
  const window = windowOf(account);
  const sums = {
    '#ended': endedAttribute(epoch),
    '#done': doneAttribute(epoch),
    '#settled': settledAttribute(epoch, window),
    '#recount': recountAttribute(epoch),
  };
  const asRead = Object.entries(sums).map(([name, sum]) =>
    account[sum] === undefined
      ? `attribute_not_exists(${name})`
      : `${name} = :read${name.slice(1)}`,
  );
  const read = Object.entries(sums).flatMap(([name, sum]) =>
    account[sum] === undefined ? [] : [[`:read${name.slice(1)}`, account[sum]]],
  );
  return {
    TableName: setting('LEDGER_TABLE'),
    Key: accountKey(account.key_id),
    ConditionExpression: [...asRead, '#held >= :held', inWindow(window)].join(' AND '),
    UpdateExpression: `SET ${[
      'held = held - :held',
      '#held = #held - :held',
      '#ended = if_not_exists(#ended, :zero) + :held',
      'spent = spent + :cost',
      '#settled = if_not_exists(#settled, :zero) + :cost',
      'available = available + :back',
      '#done = if_not_exists(#done, :zero) + :requests',
      ...(requests > 0 ? ['running = running - :requests', '#running = #running - :requests'] : []),
    ].join(', ')}`,
    ExpressionAttributeNames: {
      ...sums,
      '#held': heldAttribute(epoch),
      ...(requests > 0 && { '#running': runningAttribute(epoch) }),
    },
    ExpressionAttributeValues: {
      ...Object.fromEntries(read),
      ':window': window,
      ':held': held,
      ':cost': cost,
      ':back': held - cost,
      ':requests': requests,
      ':zero': 0,
    },
  };
}

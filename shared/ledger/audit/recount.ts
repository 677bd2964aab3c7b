import { addTo, asRead } from '../../aws/express-update.ts';
import { updateItem } from '../../aws/write-item.ts';
import { log } from '../../log.ts';
import {
  type Account,
  accountUpdate,
  findAccount,
  inWindow,
  windowOf,
} from '../account/account.ts';
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
  const ended = endedAttribute(epoch);
  const done = doneAttribute(epoch);
  await updateItem(
    accountUpdate(accountId, (value) => ({
      when: [
        `attribute_exists(${heldAttribute(epoch)})`,
        `attribute_not_exists(${recountAttribute(epoch)})`,
      ],
      set: [
        `${recountAttribute(epoch)} = ${value(1)}`,
        `${ended} = if_not_exists(${ended}, ${value(0)})`,
        `${done} = if_not_exists(${done}, ${value(0)})`,
      ],
    })),
  );
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

/** The amounts of charges that were never credited. */
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
  const [heldHere, runningHere] = [heldAttribute(epoch), runningAttribute(epoch)];
  const ended = endedAttribute(epoch);
  const done = doneAttribute(epoch);
  const settled = settledAttribute(epoch, window);
  return accountUpdate(account.key_id, (value) => ({
    when: [
      ...[ended, done, settled, recountAttribute(epoch)].map((sum) => asRead(account, sum, value)),
      `${heldHere} >= ${value(held)}`,
      inWindow(window, value),
    ],
    set: [
      `held = held - ${value(held)}`,
      `${heldHere} = ${heldHere} - ${value(held)}`,
      addTo(ended, held, value),
      `spent = spent + ${value(cost)}`,
      addTo(settled, cost, value),
      `available = available + ${value(held - cost)}`,
      addTo(done, requests, value),
      requests > 0 && `running = running - ${value(requests)}`,
      requests > 0 && `${runningHere} = ${runningHere} - ${value(requests)}`,
    ],
  }));
}

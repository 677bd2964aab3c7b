import { isThrottled } from '../../aws/outage.ts';
import { errorFields, log } from '../../log.ts';
import type { Account } from '../account/account.ts';
import { ownerOf } from '../terms/account-ids.ts';
import { grow } from './grow.ts';
import type { HeldOn } from './hold-jointly.ts';
import { type HoldingBy, haveTooMany, looksAtRate } from './rates.ts';

/** How many parts an account gets first: a key that is suddenly busy would wait for one doubling after another. */
const firstParts = 8;
/** How long it waits for the effect of more parts before it asks for more again. */
const restMs = 5_000;

/** A hold that was just made. */
export interface JustHeld extends HoldingBy {
  /** What it holds, or must leave there. */
  holdNanoUsd: number;
}

/** Has accounts that were just held on get more parts, if the requests of this minute ask for it. Nobody waits for it. */
export function growIfBusy({ account, team, further }: HeldOn, held: JustHeld): void {
  const { now, holdNanoUsd: leastNanoUsd } = held;
  for (const each of [account, ...(team ? [team] : []), ...further]) {
    if (!looksAtRate(each, held) || !haveTooMany(each, 1, held)) continue;
    const id = ownerOf(each.key_id);
    const isNeeded = (whole: Account, parts: number) => haveTooMany(whole, parts, held);
    const options = { now, leastNanoUsd, isDemanded: true, isNeeded, restMs, to: firstParts };
    grow(id, options).catch((error: unknown) => {
      // Another that is throttled asks again.
      if (isThrottled(error)) return;
      log('warn', 'account got no more parts', { key_id: id, ...errorFields(error) });
    });
  }
}

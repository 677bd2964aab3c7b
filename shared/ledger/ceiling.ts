import { setting } from '../config.ts';
import { log } from '../log.ts';
import { measure } from '../metrics.ts';
import { accountLimits } from './account/limit-list.ts';
import { changeAccountLimits } from './change-limits.ts';
import { ceilingLimit, listCeiling, openCeiling } from './parts/ceiling.ts';
import { findWhole } from './parts/whole.ts';
import { nameAccount } from './team.ts';
import { ceilingId } from './terms/account-ids.ts';
import { toNanoUsd } from './terms/nano-usd.ts';
import { asRenewed } from './terms/window.ts';

/** At this percentage an alarm rings, and the log gets its line of the day. */
const nearPercent = 80;
/** The day that the log has had its line for. */
let toldOf = '';

/**
 * Has the account of all keys go by the ceiling that is set, and measures how much of it is used. The sweep alone does so: while
 * a deploy goes on, functions of both ceilings run.
 */
export async function keepCeiling(): Promise<void> {
  const usd = setting('DAY_CEILING_USD');
  if (usd === undefined) return;
  const account = await findWhole(ceilingId);
  if (!account) return openCeiling();
  const limit = ceilingLimit();
  if (account.ceiling !== toNanoUsd(usd)) {
    await changeAccountLimits(ceilingId, accountLimits(limit));
    await nameAccount(ceilingId, limit.name);
    await listCeiling();
  }
  const { spent, held } = asRenewed(account, Date.now());
  const percent = usd === 0 ? 100 : (100 * (spent + held)) / toNanoUsd(usd);
  measure({ CeilingPercent: percent });
  const day = new Date().toISOString().slice(0, 10);
  if (percent < nearPercent || toldOf === day) return;
  toldOf = day;
  log('warn', 'day ceiling near', { percent: Math.floor(percent) });
}

import type { Caller } from '../http/caller.ts';
import { limitsOf } from '../keys/limits.ts';
import { imagesUsed } from '../ocr/allowance.ts';
import { type Account, findAccount } from './account.ts';
import type { Budget, LimitsReport } from './limits.ts';
import { toUsd } from './nano-usd.ts';
import { never, windowAt } from './window.ts';

/** The answer of `GET /user/limits`, from the account as it is now. */
export async function reportLimits(caller: Caller): Promise<LimitsReport> {
  const [account, used] = await Promise.all([findAccount(caller.keyId), imagesUsed(caller.keyId)]);
  if (!account) throw new Error(`The key ${caller.keyId} has no account`);
  const { images_per_hour } = limitsOf(caller);
  return {
    has_api_key: true,
    budget: budgetOf(account),
    ocr: {
      images_per_hour,
      used_this_hour: used,
      remaining: Math.max(0, images_per_hour - used),
      resets_in_seconds: 3600 - Math.floor((Date.now() / 1000) % 3600),
    },
  };
}

/** A window that has ended counts as renewed, although the account learns of it at its next hold. */
function budgetOf(account: Account): Budget {
  const { ceiling, held, created_at, duration, window_ends_at } = account;
  const now = Date.now();
  const spent = Date.parse(window_ends_at) <= now ? 0 : account.spent;
  const { endsAt } = windowAt(created_at, duration, now);
  return {
    max_usd: toUsd(ceiling),
    used_usd: toUsd(spent),
    remaining_usd: toUsd(Math.max(0, ceiling - spent - held)),
    reset_at: endsAt === never ? null : endsAt,
    duration,
  };
}

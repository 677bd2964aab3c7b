import * as v from 'valibot';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { Count, Instant, Usd } from '../http/schema.ts';
import { imagesUsed } from '../ledger/images-hour.ts';
import { readFurther } from '../ledger/owner-limits.ts';
import { type AccountReading, readAccount } from '../ledger/read-account.ts';
import { alikeDuration, calendarOf, localTime } from '../ledger/terms/calendar.ts';
import { maxBudgetNanoUsd, toUsd } from '../ledger/terms/nano-usd.ts';
import { asRenewed, never, windowAt } from '../ledger/terms/window.ts';
import { searchPriceUsd } from '../models/catalogue.ts';
import { limitsOf, maxResearchUsd } from './key-limits.ts';

export const Budget = v.object({
  max_usd: Usd,
  used_usd: Usd,
  remaining_usd: Usd,
  /** What running calls hold: their most possible cost, until they end. */
  held_usd: Usd,
  /** Whether the key has no budget; `max_usd` is then the largest that can be counted exactly. */
  unlimited: v.boolean(),
  reset_at: v.nullable(Instant),
  duration: v.nullable(v.string()),
  calendar: v.nullable(v.string()),
  reset_at_local: v.nullable(v.string()),
});

/** The budget of the key's team, which its keys spend together. */
export const TeamBudget = v.object({ name: v.string(), ...Budget.entries });

export const OcrAllowance = v.object({
  images_per_hour: Count,
  used_this_hour: Count,
  remaining: Count,
  resets_in_seconds: Count,
});

/** What a web search costs. */
export const SearchPrice = v.object({ usd_per_search: Usd });

/** What one research may cost. */
export const ResearchLimit = v.object({ max_usd: Usd });

/** A limit beside the budget, as its operator wrote it, and what is used of it: US dollars, tokens or requests. */
export const FurtherLimit = v.object({
  limit: v.string(),
  of: v.picklist(['key', 'team']),
  model: v.nullable(v.string()),
  customer: v.nullable(v.string()),
  unit: v.picklist(['usd', 'tokens', 'requests']),
  max: Usd,
  used: Usd,
  held: Usd,
  remaining: Usd,
  reset_at: v.nullable(Instant),
});

/** What `GET /user/limits` may be asked for: the limits of one customer. */
export const LimitsQuery = v.object({ customer: v.optional(v.pipe(v.string(), v.maxLength(512))) });

/** The response of `GET /user/limits`. */
export const LimitsReport = v.object({
  has_api_key: v.literal(true),
  budget: Budget,
  team: v.nullable(TeamBudget),
  limits: v.array(FurtherLimit),
  ocr: OcrAllowance,
  /** Null if the operator has set up no search provider. */
  web_search: v.nullable(SearchPrice),
  research: ResearchLimit,
});

export type Budget = v.InferOutput<typeof Budget>;
export type LimitsReport = v.InferOutput<typeof LimitsReport>;

/** Reports the caller's budget, its team's, and its OCR allowance as they are now. Throws if the key has no account. */
export async function reportLimits(
  caller: Caller,
  customer?: string | undefined,
): Promise<LimitsReport> {
  const [account, used] = await Promise.all([readAccount(caller.keyId), imagesUsed(caller.keyId)]);
  if (!account) throw new Error(`The key ${caller.keyId} has no account`);
  const team = account.team ? await readAccount(account.team) : undefined;
  const limits = await Promise.all([
    furtherOf('key', caller.keyId, customer),
    ...(team ? [furtherOf('team', team.key_id, customer)] : []),
  ]);
  const { images_per_hour, research_usd } = limitsOf(caller);
  const provider = setting('SEARCH_PROVIDER');
  return {
    has_api_key: true,
    budget: budgetOf(account),
    team: team ? { name: team.name ?? '', ...budgetOf(team) } : null,
    limits: limits.flat(),
    ocr: {
      images_per_hour,
      used_this_hour: used,
      remaining: Math.max(0, images_per_hour - used),
      resets_in_seconds: 3600 - Math.floor((Date.now() / 1000) % 3600),
    },
    web_search: provider ? { usd_per_search: searchPriceUsd(provider) } : null,
    research: { max_usd: maxResearchUsd(research_usd) },
  };
}

const furtherOf = async (of: 'key' | 'team', id: string, customer: string | undefined) =>
  (await readFurther(id, customer)).map((limit) => ({ ...limit, of }));

/** Shows a window that has ended as renewed, although the account begins the next one only with its next hold. */
export function budgetOf(account: AccountReading): Budget {
  const { created_at, duration } = account;
  const now = Date.now();
  const { ceiling, spent, held, available } = asRenewed(account, now);
  const { endsAt } = windowAt(created_at, duration, now);
  const reset_at = endsAt === never ? null : endsAt;
  const calendar = calendarOf(duration);
  return {
    max_usd: toUsd(ceiling),
    used_usd: toUsd(spent),
    remaining_usd: toUsd(Math.max(0, available)),
    held_usd: toUsd(held),
    unlimited: ceiling >= maxBudgetNanoUsd,
    reset_at,
    duration: calendar ? alikeDuration(calendar) : duration,
    calendar: calendar ? duration : null,
    reset_at_local: localTime(duration, reset_at),
  };
}

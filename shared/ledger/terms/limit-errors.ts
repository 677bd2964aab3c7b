import { ServiceError } from '../../http/errors.ts';
import { countsTokens, isCeiling, isFurther, isTeamId } from './account-ids.ts';
import { localTime } from './calendar.ts';
import { toUsd } from './nano-usd.ts';
import { type Budgeted, never } from './window.ts';

/** 429: the key's budget, its team's, or a further limit of either, doesn't cover the most of this request. */
export class BudgetExceededError extends ServiceError {
  /** Whether running requests hold what this one lacks, so that it may succeed once they have ended. */
  readonly isHeldUp: boolean;

  /** `advice` is a sentence that says what the caller can do. */
  constructor(account: Budgeted, holdNanoUsd: number, advice?: string) {
    const isHeldUp = account.available + account.held >= holdNanoUsd;
    const { code, message, details } = lackOf(account, holdNanoUsd, isHeldUp, advice);
    super(429, code, message, {
      details,
      retryAfterSeconds: isHeldUp ? 1 : retryAfterSeconds(account, holdNanoUsd),
    });
    this.isHeldUp = isHeldUp;
  }
}

interface Lack {
  code: string;
  message: string;
  details?: Record<string, unknown>;
}

/** What is said of an account that lacks what a request may take: of tokens, of the ceiling, or of a budget. */
function lackOf(account: Budgeted, holdNanoUsd: number, isHeldUp: boolean, advice?: string): Lack {
  const { key_id, name = '' } = account;
  if (countsTokens(key_id)) {
    const rate_limit = tokenFigures(account, holdNanoUsd);
    const message = tokenSentence(rate_limit, isHeldUp);
    return { code: 'rate_limit_exceeded', message, details: { rate_limit } };
  }
  const code = 'budget_exceeded';
  // No caller may learn what other keys spend.
  if (isCeiling(key_id)) return { code, message: ceilingSentence(account, holdNanoUsd, isHeldUp) };
  const isTeams = isTeamId(key_id);
  const budget = {
    limit: isFurther(key_id) ? name : isTeams ? 'team_budget' : 'budget',
    max_usd: toUsd(account.ceiling),
    used_usd: toUsd(account.spent),
    held_usd: toUsd(account.held),
    remaining_usd: toUsd(Math.max(0, account.available)),
    reset_at: account.window_ends_at === never ? null : account.window_ends_at,
    request_max_usd: toUsd(holdNanoUsd),
  };
  const told = { ...budget, reset_at: localTime(account.duration, budget.reset_at) };
  const whose = isFurther(key_id)
    ? `the limit ${name}`
    : isTeams
      ? `this key's team, ${name},`
      : 'this key';
  return { code, message: sentence(told, whose, isHeldUp, advice), details: { budget } };
}

function ceilingSentence(account: Budgeted, holdNanoUsd: number, isHeldUp: boolean): string {
  if (holdNanoUsd > account.ceiling)
    return 'Budget exceeded: this request may cost more than this service may spend in a day. Send less, or set max_tokens.';
  const when = isHeldUp
    ? 'This request fits once running ones have ended: try again in a moment.'
    : `The next day begins at ${account.window_ends_at}. Its operator can raise the limit before.`;
  return `Budget exceeded: this service has reached what it may spend in a day. ${when}`;
}

function tokenFigures(
  { name = '', ceiling, spent, held, available, window_ends_at }: Budgeted,
  tokens: number,
) {
  return {
    limit: name,
    max_tokens: ceiling,
    used_tokens: spent,
    held_tokens: held,
    remaining_tokens: Math.max(0, available),
    request_max_tokens: tokens,
    reset_at: window_ends_at,
  };
}

function tokenSentence(figures: ReturnType<typeof tokenFigures>, isHeldUp: boolean): string {
  const { limit, max_tokens, remaining_tokens, request_max_tokens, reset_at } = figures;
  const when = isHeldUp
    ? 'It fits once running requests have ended: try again in a moment.'
    : request_max_tokens > max_tokens
      ? 'Send less, or set max_tokens.'
      : `More come at ${reset_at}.`;
  return `Rate limit exceeded: this request may take up to ${request_max_tokens} tokens, and ${remaining_tokens} of the limit ${limit} are left. ${when}`;
}

/** 429: the key has used up its images of this clock hour. */
export class ImagesPerHourError extends ServiceError {
  readonly imagesPerHour: number;
  /** When the next hour begins, in ms since 1970. */
  readonly untilMs: number;

  constructor(imagesPerHour: number, untilMs: number) {
    super(
      429,
      'ocr_quota_exceeded',
      `The ${imagesPerHour} images that this API key may have read in an hour are used up.`,
    );
    this.imagesPerHour = imagesPerHour;
    this.untilMs = untilMs;
  }
}

/** An account with a limit of requests. */
type Limited<Name extends string> = Pick<Budgeted, 'key_id' | 'name'> & Record<Name, number>;

/** 429: the key has used up its requests of this minute. */
export class RequestsPerMinuteError extends ServiceError {
  readonly requestsPerMinute: number;

  constructor({ key_id, name, requests_per_minute }: Limited<'requests_per_minute'>) {
    const limit = isFurther(key_id) ? name : 'requests_per_minute';
    const sentence = isFurther(key_id)
      ? `Rate limit exceeded: the limit ${name} is reached. Try again when the next minute begins.`
      : rateSentence(requests_per_minute);
    super(429, 'rate_limit_exceeded', sentence, {
      details: { rate_limit: { limit, max_requests: requests_per_minute } },
      retryAfterSeconds:
        requests_per_minute > 0 ? Math.ceil((60_000 - (Date.now() % 60_000)) / 1000) : null,
    });
    this.requestsPerMinute = requests_per_minute;
  }
}

const rateSentence = (perMinute: number) =>
  perMinute > 0
    ? `Rate limit exceeded: this key may make ${perMinute} requests a minute. Try again when the next minute begins.`
    : 'Rate limit exceeded: this key may make no requests.';

/** 429: the key has as many requests under way as it may. */
export class ConcurrencyError extends ServiceError {
  readonly maxConcurrent: number;

  constructor({ key_id, name, max_concurrent }: Limited<'max_concurrent'>) {
    const limit = isFurther(key_id) ? name : 'concurrent_requests';
    super(
      429,
      'rate_limit_exceeded',
      isFurther(key_id)
        ? `Too many requests at once: the limit ${name} is reached. Try again when one has ended.`
        : `Too many requests at once: this key may have ${max_concurrent} under way. Try again when one has ended.`,
      {
        details: { rate_limit: { limit, max_requests: max_concurrent } },
        retryAfterSeconds: max_concurrent > 0 ? 1 : null,
      },
    );
    this.maxConcurrent = max_concurrent;
  }
}

/** 503: other calls kept changing an account first. It may have what was asked of it. */
export class BusyAccountError extends ServiceError {
  constructor(accountId: string) {
    const whose = isTeamId(accountId) ? "this key's team makes" : 'this key makes';
    super(503, 'busy', `Other calls that ${whose} came first each time. Try again in a second.`, {
      retryAfterSeconds: 1,
    });
  }
}

function sentence(
  figures: Record<string, number | string | null>,
  whose: string,
  isHeldUp: boolean,
  advice?: string,
): string {
  const { limit, max_usd, used_usd, held_usd, remaining_usd, reset_at, request_max_usd } = figures;
  const reset = reset_at ? `The budget resets at ${reset_at}.` : 'The budget does not reset.';
  if (max_usd === 0) {
    return `Budget exceeded: the budget of ${whose} is $0, so it can pay for nothing. Whoever issued the key can change that.`;
  }
  const part = limit === 'budget' ? '' : `of the budget of ${whose} `;
  return [
    `Budget exceeded: this request may cost up to ${usd(request_max_usd)}, and ${part}${usd(remaining_usd)} of ${usd(max_usd)} remain (${usd(used_usd)} spent, ${usd(held_usd)} held by running requests).`,
    isHeldUp ? 'It fits once running requests have ended: try again in a moment.' : reset,
    ...(advice ? [advice] : []),
  ].join(' ');
}

const dollars = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9, useGrouping: false });

/** Writes dollars with the decimals that they need: JavaScript writes 0.0000001 as 1e-7. */
const usd = (amount: number | string | null | undefined) => `$${dollars.format(Number(amount))}`;

/** The seconds until the window renews; null if it never does, or if even a whole budget is too small. */
function retryAfterSeconds(account: Budgeted, holdNanoUsd: number): number | null {
  if (holdNanoUsd > account.ceiling - (account.extra ?? 0) || account.window_ends_at === never)
    return null;
  return Math.max(1, Math.ceil((Date.parse(account.window_ends_at) - Date.now()) / 1000));
}

import { type Calendar, calendarText, wrongInCalendar } from './calendar.ts';
import { isDuration } from './duration.ts';
import { toUsd } from './nano-usd.ts';

/** A limit of a key's or team's calls beside the budget: of all, of one model's, or of each customer's. */
export interface FurtherLimit {
  /** What its account's id has behind the owner's: its unit, and what tells it from others. */
  id: string;
  /** The limit as its operator wrote it, such as `gpt-5:budget-usd=50/month`. */
  name: string;
  model?: string;
  perCustomer?: boolean;
  /** Whether the user that a request names is the customer, where its metadata names none. */
  byUser?: boolean;
  /** A sum of a window; of tokens, as if each were a nano-dollar. */
  amountUsd?: number;
  duration: string | null;
  requestsPerMinute?: number;
  maxConcurrent?: number;
}

/** What a further limit is, in the words of a command's help. */
export const furtherLimitTakes =
  'a limit such as budget-usd=5/day, gpt-5:budget-usd=50/month@Europe/Berlin, tokens-per-minute=200000, gpt-5:requests-per-minute=60, max-concurrent=4, customer:budget-usd=2/day (by metadata.customer) or user:budget-usd=2/day (by that, or else the user that a request names)';

const maxTokens = 1e12;
const maxUsd = 1_000_000;
const maxRequests = 999_999_999;

/** Reads a limit as its operator wrote it; undefined if it is none. Its id is still to be given: it has its unit alone. */
export function parseFurtherLimit(name: string): FurtherLimit | undefined {
  const [, each, model, kind = '', digits = '', window] =
    name.match(/^(customer:|user:)?(?:([^\s,=]+):)?([a-z-]+)=(\d+(?:\.\d{1,9})?)(?:\/(\S+))?$/) ??
    [];
  const amount = Number(digits);
  const whole = (most: number) => Number.isInteger(amount) && amount <= most && !window;
  const limit = {
    name,
    ...(model && { model }),
    ...(each && { perCustomer: true }),
    ...(each === 'user:' && { byUser: true }),
  };
  if (kind === 'budget-usd') {
    const duration = window === undefined ? null : durationOf(window);
    if (duration === undefined || amount > maxUsd) return undefined;
    return { ...limit, id: 'u', amountUsd: amount, duration };
  }
  if (kind === 'tokens-per-minute' && whole(maxTokens))
    return { ...limit, id: 't', amountUsd: toUsd(amount), duration: '1m' };
  if (kind === 'requests-per-minute' && whole(maxRequests))
    return { ...limit, id: 'r', duration: null, requestsPerMinute: amount };
  if (kind === 'max-concurrent' && whole(maxRequests))
    return { ...limit, id: 'r', duration: null, maxConcurrent: amount };
  return undefined;
}

/** The duration of a window such as `day`, `month-15@Europe/Berlin` or `30d`; undefined if it is none. */
function durationOf(window: string): string | undefined {
  const [, unit = '', anchor, zone = 'UTC'] =
    window.match(/^([a-z]+)(?:-([^@]+))?(?:@(\S+))?$/) ?? [];
  if (isDuration(window)) return window;
  const calendar = { window: unit as Calendar['window'], zone, anchor };
  return wrongInCalendar(calendar) ? undefined : calendarText(calendar);
}

/** Returns the part of a limit's name that stays if its amount is changed, as does its account. */
export const identityOf = (name: string) => name.replace(/=(?:[\d.]+|none(?=\/|$))/, '');

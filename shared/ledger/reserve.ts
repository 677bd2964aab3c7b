import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import {
  type Account,
  accountKey,
  requestsAttribute,
  usualConcurrent,
  windowOf,
} from './account.ts';
import { type Charge, type ChargeSubject, chargeRetentionSeconds } from './charge.ts';
import { auditDueMs, epochOf, heldAttribute, runningAttribute } from './epoch.ts';
import { BudgetExceededError, ConcurrencyError, RequestsPerMinuteError } from './errors.ts';
import { lastSeen, remember } from './last-seen.ts';
import { hasWindowEnded, renewWindow } from './renew-window.ts';

/** A hold on an account, with the account as the hold left it. It is ended once, by `settle` or `release`. */
export interface Hold {
  /** What the charge will say of the call. */
  charge: HeldCharge;
  account: Account;
  /** Whether it counts as a request under way. */
  isRequest: boolean;
  /** Whether it has ended, in this process. */
  isEnded: boolean;
}

/** A charge before its end. */
export type HeldCharge = Omit<Charge, 'status' | 'ended_at'> & { window: number };

/** A hold, and the accounts that it is right for. */
export interface Fit {
  holdNanoUsd: number;
  /** It is right if so much is available or more; by default the hold itself. */
  from?: number;
  /** And less than this. */
  below?: number;
}

/** Chooses the hold by what an account has available and what running calls hold of it, in nano-dollars. */
export interface HoldPlan<Chosen extends Fit = Fit> {
  fit(account: Pick<Account, 'available' | 'held'>): Chosen;
  /** Returns a sentence that says what a caller can do whose account has too little. */
  advice?(account: Pick<Account, 'available' | 'held'>): string | undefined;
}

export interface ReserveOptions {
  /** Whether the hold counts against the key's requests per minute and at once. A document's pages don't. */
  asRequest?: boolean;
}

/**
 * Moves the most that a call can cost, in whole nano-dollars, from available to held, and counts the request. It
 * takes one conditional update, and two more if the key's window has ended.
 *
 * Throws `BudgetExceededError`, `RequestsPerMinuteError` or `ConcurrencyError`, all 429, and then nothing is held or
 * counted.
 */
export async function reserve(
  keyId: string,
  holdNanoUsd: number,
  subject: ChargeSubject,
  options: ReserveOptions = {},
): Promise<Hold> {
  const { hold } = await reserveByPlan(keyId, { fit: () => ({ holdNanoUsd }) }, subject, options);
  return hold;
}

/** How often a hold is fitted to an account that other calls keep changing. */
const maxFits = 5;

/**
 * Reserves as `reserve` does, but with a hold that is chosen by the account. The first guess is for the account as
 * this function saw it last. A guess that is wrong is refused and gets the account back, and the next one fits it.
 */
export async function reserveByPlan<Chosen extends Fit>(
  keyId: string,
  plan: HoldPlan<Chosen>,
  subject: ChargeSubject,
  options: ReserveOptions = {},
): Promise<{ hold: Hold; chosen: Chosen }> {
  let seen = lastSeen(keyId);
  for (let fits = 1; ; ) {
    const now = Date.now();
    const chosen = plan.fit(seen);
    const { account, refusedBy } = await tryReserve(keyId, chosen, now, options);
    if (account) {
      remember(account);
      return { hold: holdOf(account, chosen.holdNanoUsd, now, subject, options), chosen };
    }
    if (!refusedBy) throw new Error(`The key ${keyId} has no account`);
    if (hasWindowEnded(refusedBy, now)) {
      await renewWindow(refusedBy, now);
      continue;
    }
    remember(refusedBy);
    refuseRequest(refusedBy, now, options);
    const { holdNanoUsd } = plan.fit(refusedBy);
    if (holdNanoUsd > refusedBy.available || fits === maxFits) {
      throw new BudgetExceededError(refusedBy, holdNanoUsd, plan.advice?.(refusedBy));
    }
    seen = refusedBy;
    fits += 1;
  }
}

function holdOf(
  account: Account,
  holdNanoUsd: number,
  now: number,
  subject: ChargeSubject,
  { asRequest = true }: ReserveOptions,
): Hold {
  const charge = {
    key_id: account.key_id,
    // The id carries the moment of the hold, so that settling finds the epoch that the account held it in.
    entry: `charge_${uuidv7({ msecs: now })}`,
    hold: holdNanoUsd,
    window: windowOf(account),
    created_at: new Date(now).toISOString(),
    expires_at: Math.floor(now / 1000) + chargeRetentionSeconds,
    ...subject,
  };
  return { charge, account, isRequest: asRequest, isEnded: false };
}

/** Throws if an account that refused a hold has no requests left, in this minute or at once. */
function refuseRequest(account: Account, now: number, { asRequest = true }: ReserveOptions): void {
  if (!asRequest) return;
  const { requests_per_minute, running = 0, max_concurrent = usualConcurrent } = account;
  const requests = account[requestsAttribute(now)] ?? 0;
  if (requests >= requests_per_minute) throw new RequestsPerMinuteError(account);
  if (running >= max_concurrent) throw new ConcurrencyError(account);
}

/** The account after a hold, or the account that refused it; neither if the key has none. */
interface Attempt {
  account?: Account;
  refusedBy?: Account | undefined;
}

/** Whether another request may run. Accounts from before there was a limit lack both attributes. */
const mayRunMore = [
  'running < max_concurrent',
  'attribute_not_exists(running) AND (attribute_not_exists(max_concurrent) OR max_concurrent > :zero)',
  'attribute_not_exists(max_concurrent) AND running < :concurrent',
].join(' OR ');

/**
 * Tries to hold with one conditional update. If the condition fails, DynamoDB returns the item as it was, so
 * that the reason is known without a read.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
 */
async function tryReserve(
  keyId: string,
  { holdNanoUsd, from = holdNanoUsd, below }: Fit,
  now: number,
  { asRequest = true }: ReserveOptions,
): Promise<Attempt> {
  const epoch = epochOf(now);
  try {
    const { Attributes } = await dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: accountKey(keyId),
        ConditionExpression: [
          'available >= :from',
          ...(below === undefined ? [] : ['available < :below']),
          'window_ends_at > :now',
          ...(asRequest
            ? [
                'requests_per_minute > :zero',
                '(attribute_not_exists(#requests) OR #requests < requests_per_minute)',
                `(${mayRunMore})`,
              ]
            : []),
        ].join(' AND '),
        UpdateExpression: `SET ${[
          'available = available - :hold',
          'held = held + :hold',
          '#held = if_not_exists(#held, :zero) + :hold',
          ...(asRequest
            ? [
                '#requests = if_not_exists(#requests, :zero) + :one',
                'running = if_not_exists(running, :zero) + :one',
                '#running = if_not_exists(#running, :zero) + :one',
              ]
            : []),
          'audit_at = if_not_exists(audit_at, :audit)',
        ].join(', ')}${asRequest ? ' REMOVE #past' : ''}`,
        ExpressionAttributeNames: {
          '#held': heldAttribute(epoch),
          ...(asRequest && {
            '#requests': requestsAttribute(now),
            // The count of a minute that is over, so that a busy account stays small.
            '#past': requestsAttribute(now - 2 * 60_000),
            '#running': runningAttribute(epoch),
          }),
        },
        ExpressionAttributeValues: {
          ':hold': holdNanoUsd,
          ':from': from,
          ...(below !== undefined && { ':below': below }),
          ':now': new Date(now).toISOString(),
          ':zero': 0,
          ...(asRequest && { ':one': 1, ':concurrent': usualConcurrent }),
          ':audit': new Date(auditDueMs(epoch)).toISOString(),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { account: Attributes as Account };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { refusedBy: error.Item && (unmarshall(error.Item) as Account) };
  }
}

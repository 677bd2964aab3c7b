import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type Account, accountKey, requestsAttribute } from './account.ts';
import { type Charge, type ChargeSubject, chargeRetentionSeconds, putCharge } from './charge.ts';
import { auditDueMs, epochOf, heldAttribute } from './epoch.ts';
import { BudgetExceededError, RequestsPerMinuteError } from './errors.ts';
import { lastSeen, remember } from './last-seen.ts';
import { hasWindowEnded, renewWindow } from './renew-window.ts';

/** A hold on an account, with the account as the hold left it. */
export interface Hold {
  charge: Charge;
  /** Settles once the charge is in the table. The call doesn't wait for it; `settle` and `release` do. */
  written: Promise<void>;
  account: Account;
}

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
  /** Whether the hold counts against the key's requests per minute. A document's pages don't. */
  asRequest?: boolean;
}

/**
 * Moves the most that a call can cost, in whole nano-dollars, from available to held, counts the request, and
 * begins to write the charge. It takes one conditional update, and two more if the key's window has ended.
 *
 * Throws `BudgetExceededError` or `RequestsPerMinuteError`, both 429, and then nothing is held or counted.
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
      return { hold: beginCharge(account, chosen.holdNanoUsd, now, subject), chosen };
    }
    if (!refusedBy) throw new Error(`The key ${keyId} has no account`);
    if (hasWindowEnded(refusedBy, now)) {
      await renewWindow(refusedBy, now);
      continue;
    }
    remember(refusedBy);
    if (hasNoRequestsLeft(refusedBy, now, options)) throw new RequestsPerMinuteError(refusedBy);
    const { holdNanoUsd } = plan.fit(refusedBy);
    if (holdNanoUsd > refusedBy.available || fits === maxFits) {
      throw new BudgetExceededError(refusedBy, holdNanoUsd, plan.advice?.(refusedBy));
    }
    seen = refusedBy;
    fits += 1;
  }
}

function beginCharge(
  account: Account,
  holdNanoUsd: number,
  now: number,
  subject: ChargeSubject,
): Hold {
  const charge: Charge = {
    key_id: account.key_id,
    // The id carries the moment of the hold, so that settling finds the epoch that the account held it in.
    entry: `charge_${uuidv7({ msecs: now })}`,
    status: 'held',
    hold: holdNanoUsd,
    created_at: new Date(now).toISOString(),
    expires_at: Math.floor(now / 1000) + chargeRetentionSeconds,
    ...subject,
  };
  const written = putCharge(charge);
  // Settling awaits it. Until then a failure must not count as an unhandled rejection.
  written.catch(() => {});
  return { charge, written, account };
}

function hasNoRequestsLeft(
  account: Account,
  now: number,
  { asRequest = true }: ReserveOptions,
): boolean {
  const requests = account[requestsAttribute(now)] ?? 0;
  return asRequest && requests >= account.requests_per_minute;
}

/** The account after a hold, or the account that refused it; neither if the key has none. */
interface Attempt {
  account?: Account;
  refusedBy?: Account | undefined;
}

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
              ]
            : []),
        ].join(' AND '),
        UpdateExpression: `SET ${[
          'available = available - :hold',
          'held = held + :hold',
          '#held = if_not_exists(#held, :zero) + :hold',
          ...(asRequest ? ['#requests = if_not_exists(#requests, :zero) + :one'] : []),
          'audit_at = if_not_exists(audit_at, :audit)',
        ].join(', ')}`,
        ExpressionAttributeNames: {
          '#held': heldAttribute(epoch),
          ...(asRequest && { '#requests': requestsAttribute(now) }),
        },
        ExpressionAttributeValues: {
          ':hold': holdNanoUsd,
          ':from': from,
          ...(below !== undefined && { ':below': below }),
          ':now': new Date(now).toISOString(),
          ':zero': 0,
          ...(asRequest && { ':one': 1 }),
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

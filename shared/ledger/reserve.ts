import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import {
  type Account,
  accountKey,
  hasWindowEnded,
  renewWindow,
  requestsAttribute,
} from './account.ts';
import { type Charge, type ChargeSubject, chargeRetentionSeconds, putCharge } from './charge.ts';
import { auditDueMs, epochOf, heldAttribute } from './epoch.ts';
import { BudgetExceededError, RequestsPerMinuteError } from './errors.ts';

/** A hold on an account, with the account as the hold left it. */
export interface Hold {
  charge: Charge;
  /** Settles once the charge is in the table. The call doesn't wait for it; `settle` and `release` do. */
  written: Promise<void>;
  account: Account;
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
  const now = Date.now();
  const { account, refusedBy } = await tryReserve(keyId, holdNanoUsd, now, options);
  if (account) return beginCharge(account, holdNanoUsd, now, subject);
  if (!refusedBy) throw new Error(`The key ${keyId} has no account`);
  if (!hasWindowEnded(refusedBy, now)) throw refusal(refusedBy, holdNanoUsd, now, options);
  await renewWindow(refusedBy, now);
  return reserve(keyId, holdNanoUsd, subject, options);
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

function refusal(
  account: Account,
  holdNanoUsd: number,
  now: number,
  { asRequest = true }: ReserveOptions,
): Error {
  const requests = account[requestsAttribute(now)] ?? 0;
  return asRequest && requests >= account.requests_per_minute
    ? new RequestsPerMinuteError(account)
    : new BudgetExceededError(account, holdNanoUsd);
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
  holdNanoUsd: number,
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
          'available >= :hold',
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

import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type Account, accountKey, hasEnded, renewWindow } from './account.ts';
import { type Charge, type ChargeSubject, chargeKeepSeconds, putCharge } from './charge.ts';
import { closesAt, epochOf, heldName } from './epoch.ts';
import { BudgetExceededError, RequestsPerMinuteError } from './errors.ts';

/** A hold on an account: the charge being written, and the account as the hold left it. */
export interface Hold {
  charge: Charge;
  /** Settles once the charge is in the table; the upstream call need not wait for it. */
  written: Promise<void>;
  account: Account;
}

/** Whether a hold counts against the key's requests per minute; a document's pages have their own limit. */
export interface ReserveOptions {
  asRequest?: boolean;
}

/**
 * Moves `hold` nano-dollars, the most a call can cost, from available to held, and counts the request:
 * one conditional update, after another where a window has ended. Throws what the key has too little of,
 * and then nothing is held.
 */
export async function reserve(
  keyId: string,
  hold: number,
  subject: ChargeSubject,
  options: ReserveOptions = {},
): Promise<Hold> {
  const now = Date.now();
  const { account, refusedBy } = await tryReserve(keyId, hold, now, options);
  if (account) return beginCharge(account, hold, now, subject);
  if (!refusedBy) throw new Error(`The key ${keyId} has no account`);
  if (!hasEnded(refusedBy, now)) throw refusal(refusedBy, hold, now, options);
  await renewWindow(refusedBy, now);
  return reserve(keyId, hold, subject, options);
}

function beginCharge(account: Account, hold: number, now: number, subject: ChargeSubject): Hold {
  const charge: Charge = {
    key_id: account.key_id,
    // The id's time says which of the account's epochs keeps the hold.
    entry: `charge_${uuidv7({ msecs: now })}`,
    status: 'held',
    hold,
    created_at: new Date(now).toISOString(),
    expires_at: Math.floor(now / 1000) + chargeKeepSeconds,
    ...subject,
  };
  const written = putCharge(charge);
  // Whoever settles awaits it; until then a failure is not unhandled.
  written.catch(() => {});
  return { charge, written, account };
}

function refusal(
  account: Account,
  hold: number,
  now: number,
  { asRequest = true }: ReserveOptions,
): Error {
  const requests = account[requestsName(now)] ?? 0;
  return asRequest && requests >= account.requests_per_minute
    ? new RequestsPerMinuteError(account)
    : new BudgetExceededError(account, hold);
}

export const requestsName = (ms: number) => `requests_${Math.floor(ms / 60_000)}` as const;

interface Attempt {
  account?: Account;
  refusedBy?: Account | undefined;
}

async function tryReserve(
  keyId: string,
  hold: number,
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
          '#held': heldName(epoch),
          ...(asRequest && { '#requests': requestsName(now) }),
        },
        ExpressionAttributeValues: {
          ':hold': hold,
          ':now': new Date(now).toISOString(),
          ':zero': 0,
          ...(asRequest && { ':one': 1 }),
          ':audit': new Date(closesAt(epoch)).toISOString(),
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

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { retryConflicts } from '../../aws/transact.ts';
import { outputOrItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { isBeside, isTeamId } from '../terms/account-ids.ts';
import type { Fit } from '../terms/hold-plan.ts';
import { type Account, accountKey, requestsAttribute } from './account.ts';
import {
  auditDueMs,
  doneAttribute,
  endedAttribute,
  epochOf,
  heldAttribute,
  noLongerSummed,
  runningAttribute,
  takesHolds,
} from './epoch.ts';
import { sendUnlessThrottled } from './send-once.ts';

/** A hold that an account is asked for. */
export interface Ask extends Fit {
  /** How many requests it is of, if they are held ahead; by default it is one. */
  requests?: RequestsAhead;
}

/** Requests that are held ahead. They leave half of the limits free, which must be as they were seen. */
export interface RequestsAhead extends Pick<Account, 'requests_per_minute' | 'max_concurrent'> {
  count: number;
}

/** There is no account, or no longer such a part of one. */
export class NoAccountError extends Error {
  constructor(id: string) {
    super(`The ${isTeamId(id) ? 'team' : 'key'} ${id} has no account`);
  }
}

/** The account after a hold, or the account that refused it. */
export interface Attempt {
  isHeld: boolean;
  account: Account;
}

/** Whether another request may run. An account that had none yet lacks `running`. */
const mayRunMore = [
  'running < max_concurrent',
  'attribute_not_exists(running) AND max_concurrent > :zero',
].join(' OR ');

/** The conditions under which one request more may be made. */
const mayRequest = [
  'requests_per_minute > :zero',
  '(attribute_not_exists(#requests) OR #requests < requests_per_minute)',
  `(${mayRunMore})`,
];

/** The conditions under which several may be, that may turn out not to be made. */
const leavesHalf = [
  'requests_per_minute = :perMinute AND max_concurrent = :atOnce',
  '(attribute_not_exists(#requests) OR #requests <= :mostRequests)',
  '(attribute_not_exists(running) OR running <= :mostRunning)',
];

const valuesOfHalf = (requests: RequestsAhead | undefined) =>
  requests && {
    ':perMinute': requests.requests_per_minute,
    ':atOnce': requests.max_concurrent,
    ':mostRequests': Math.floor(requests.requests_per_minute / 2) - requests.count,
    ':mostRunning': Math.floor(requests.max_concurrent / 2) - requests.count,
  };

/**
 * Tries to hold on one account with one conditional update, whose failure returns the item. Throws `NoAccountError`,
 * and at once if it is throttled, as the hold may be asked for elsewhere.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
 */
export async function holdOnAccount(
  keyId: string,
  { holdNanoUsd, from = holdNanoUsd, below, requests }: Ask,
  now: number,
  asRequest: boolean,
): Promise<Attempt> {
  const epoch = epochOf(now);
  // A team limits no requests, but its rate tells how many parts it needs.
  const counts = asRequest || isBeside(keyId);
  const { output, refusedBy } = await outputOrItem<Account>(
    retryConflicts(() =>
      sendUnlessThrottled(
        new UpdateCommand({
          TableName: setting('LEDGER_TABLE'),
          Key: accountKey(keyId),
          ConditionExpression: [
            'available >= :from',
            ...(below === undefined ? [] : ['available < :below']),
            'window_ends_at > :now',
            takesHolds,
            'attribute_not_exists(closed)',
            ...(asRequest ? (requests ? leavesHalf : mayRequest) : []),
          ].join(' AND '),
          UpdateExpression: `SET ${[
            'available = available - :hold',
            'held = held + :hold',
            '#held = if_not_exists(#held, :zero) + :hold',
            ...(counts ? ['#requests = if_not_exists(#requests, :zero) + :requests'] : []),
            ...(asRequest
              ? [
                  'running = if_not_exists(running, :zero) + :requests',
                  '#running = if_not_exists(#running, :zero) + :requests',
                ]
              : []),
            'audit_at = if_not_exists(audit_at, :audit)',
          ].join(', ')} REMOVE #ended, #done${counts ? ', #past' : ''}`,
          ExpressionAttributeNames: {
            '#held': heldAttribute(epoch),
            '#ended': endedAttribute(noLongerSummed(now)),
            '#done': doneAttribute(noLongerSummed(now)),
            ...(counts && {
              '#requests': requestsAttribute(now),
              // The count of a minute that is over, so that a busy account stays small.
              '#past': requestsAttribute(now - 2 * 60_000),
            }),
            ...(asRequest && { '#running': runningAttribute(epoch) }),
          },
          ExpressionAttributeValues: {
            ':hold': holdNanoUsd,
            ':from': from,
            ...(below !== undefined && { ':below': below }),
            ':now': new Date(now).toISOString(),
            ':zero': 0,
            ...(counts && { ':requests': requests?.count ?? 1 }),
            ...(asRequest && valuesOfHalf(requests)),
            ':epoch': epoch,
            ':audit': new Date(auditDueMs(epoch)).toISOString(),
          },
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    ),
  );
  if (output) {
    return { isHeld: true, account: output.Attributes as Account };
  }
  if (!refusedBy) throw new NoAccountError(keyId);
  return { isHeld: false, account: refusedBy };
}

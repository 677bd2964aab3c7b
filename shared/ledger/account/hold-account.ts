import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { addTo, type PlaceValue } from '../../aws/express-update.ts';
import { retryConflicts } from '../../aws/transact.ts';
import { outputOrItem } from '../../aws/write-item.ts';
import { isBeside, isTeamId } from '../terms/account-ids.ts';
import type { Fit } from '../terms/hold-plan.ts';
import { type Account, accountUpdate, requestsAttribute } from './account.ts';
import {
  auditAt,
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

/** The conditions under which one request more may be made. An account that had none yet lacks `running`. */
const mayRequest = (counted: string, value: PlaceValue) => [
  `requests_per_minute > ${value(0)}`,
  `(attribute_not_exists(${counted}) OR ${counted} < requests_per_minute)`,
  `(running < max_concurrent OR attribute_not_exists(running) AND max_concurrent > ${value(0)})`,
];

/** The conditions under which several may be, that may turn out not to be made. */
function leavesHalf(counted: string, requests: RequestsAhead, value: PlaceValue) {
  const { requests_per_minute, max_concurrent, count } = requests;
  const most = (limit: number) => value(Math.floor(limit / 2) - count);
  return [
    `requests_per_minute = ${value(requests_per_minute)}`,
    `max_concurrent = ${value(max_concurrent)}`,
    `(attribute_not_exists(${counted}) OR ${counted} <= ${most(requests_per_minute)})`,
    `(attribute_not_exists(running) OR running <= ${most(max_concurrent)})`,
  ];
}

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
  const counted = requestsAttribute(now);
  const count = requests?.count ?? 1;
  const update = accountUpdate(keyId, (value) => ({
    when: [
      `available >= ${value(from)}`,
      below !== undefined && `available < ${value(below)}`,
      `window_ends_at > ${value(new Date(now).toISOString())}`,
      takesHolds(epoch, value),
      'attribute_not_exists(closed)',
      ...(asRequest
        ? requests
          ? leavesHalf(counted, requests, value)
          : mayRequest(counted, value)
        : []),
    ],
    set: [
      `available = available - ${value(holdNanoUsd)}`,
      `held = held + ${value(holdNanoUsd)}`,
      addTo(heldAttribute(epoch), holdNanoUsd, value),
      counts && addTo(counted, count, value),
      asRequest && addTo('running', count, value),
      asRequest && addTo(runningAttribute(epoch), count, value),
      `audit_at = if_not_exists(audit_at, ${value(auditAt(epoch))})`,
    ],
    remove: [
      endedAttribute(noLongerSummed(now)),
      doneAttribute(noLongerSummed(now)),
      // The count of a minute that is over, so that a busy account stays small.
      counts && requestsAttribute(now - 2 * 60_000),
    ],
  }));
  const command = () =>
    new UpdateCommand({
      ...update,
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  const { output, refusedBy } = await outputOrItem<Account>(
    retryConflicts(() => sendUnlessThrottled(command())),
  );
  if (output) {
    return { isHeld: true, account: output.Attributes as Account };
  }
  if (!refusedBy) throw new NoAccountError(keyId);
  return { isHeld: false, account: refusedBy };
}

import { updateItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { windowAt } from '../terms/window.ts';
import { type Account, accountKey, sameExtra } from './account.ts';

/** Whether an account's window has ended, and nobody has begun the next. */
export const hasWindowEnded = ({ window_ends_at }: Account, now: number) =>
  window_ends_at <= new Date(now).toISOString();

/** Begins the window that holds `now`, with nothing spent, no extra and the same held. Does nothing if it was begun meanwhile. */
export async function renewWindow(account: Account, now: number): Promise<void> {
  const { startsAt, endsAt } = windowAt(account.created_at, account.duration, now);
  const { when, values } = sameExtra(account);
  const { extra, ceiling } = account;
  const base = extra === undefined ? {} : { ':ceiling': ceiling, ':base': ceiling - extra };
  await updateItem({
    TableName: setting('LEDGER_TABLE'),
    Key: accountKey(account.key_id),
    ConditionExpression: `window_ends_at = :oldEnd AND ${when}${extra === undefined ? '' : ' AND ceiling = :ceiling'}`,
    UpdateExpression: `SET ${extra === undefined ? 'available = available + spent' : 'ceiling = :base, available = :base - held'}, spent = :zero, window_number = if_not_exists(window_number, :zero) + :one, window_starts_at = :starts, window_ends_at = :ends REMOVE spent_since, extra`,
    ExpressionAttributeValues: {
      ...values,
      ...base,
      ':oldEnd': account.window_ends_at,
      ':zero': 0,
      ':one': 1,
      ':starts': startsAt,
      ':ends': endsAt,
    },
  });
}

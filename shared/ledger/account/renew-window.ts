import { asRead } from '../../aws/express-update.ts';
import { updateItem } from '../../aws/write-item.ts';
import { windowAt } from '../terms/window.ts';
import { type Account, accountUpdate } from './account.ts';

/** Begins the window that holds `now`, with nothing spent, no extra and the same held. Does nothing if it was begun meanwhile. */
export async function renewWindow(account: Account, now: number): Promise<void> {
  const { startsAt, endsAt } = windowAt(account.created_at, account.duration, now);
  const { extra = 0, ceiling, window_ends_at } = account;
  await updateItem(
    accountUpdate(account.key_id, (value) => ({
      when: [
        `window_ends_at = ${value(window_ends_at)}`,
        asRead(account, 'extra', value),
        extra !== 0 && `ceiling = ${value(ceiling)}`,
      ],
      set: [
        extra !== 0 && `ceiling = ${value(ceiling - extra)}`,
        `available = ${extra === 0 ? 'available + spent' : `${value(ceiling - extra)} - held`}`,
        `spent = ${value(0)}`,
        `window_number = if_not_exists(window_number, ${value(0)}) + ${value(1)}`,
        `window_starts_at = ${value(startsAt)}`,
        `window_ends_at = ${value(endsAt)}`,
      ],
      remove: ['spent_since', 'extra'],
    })),
  );
}

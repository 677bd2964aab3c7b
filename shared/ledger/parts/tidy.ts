import { setting } from '../../config.ts';
import { type Account, requestsAttribute } from '../account.ts';
import { closeParts } from './close.ts';
import { bringHome } from './gather.ts';
import { readRenewed } from './whole.ts';

/** Less than a tenth of what one part takes, in this minute and the last, is no reason for parts. */
const quietSeconds = 12;

/** Closes the parts of an account that has been quiet, and brings home what closed ones have left. The sweep does. */
export async function tidyParts(ownerId: string, now: number): Promise<void> {
  const { account } = await readRenewed(ownerId, now);
  if ((account.open_parts ?? 1) > 1) {
    if (isQuiet(account, now)) await closeParts(ownerId);
  } else {
    await bringHome(ownerId, now);
  }
}

function isQuiet(account: Account, now: number): boolean {
  const { grown_at = '' } = account;
  const twoMinutesAgo = now - 2 * 60_000;
  const requests = [now, now - 60_000].map((at) => account[requestsAttribute(at)] ?? 0);
  return (
    grown_at < new Date(twoMinutesAgo).toISOString() &&
    requests.reduce((sum, each) => sum + each, 0) < quietSeconds * setting('PART_CALLS_PER_SECOND')
  );
}

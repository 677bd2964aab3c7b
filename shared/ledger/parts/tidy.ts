import { closeParts } from './close.ts';
import { bringHome } from './gather.ts';
import { isQuiet } from './rates.ts';
import { readRenewed } from './whole.ts';

/** An account that has just got parts keeps them for as long. */
const leastMs = 2 * 60_000;

/** Closes the parts of an account that has been quiet, and brings home what closed ones have left. The sweep does. */
export async function tidyParts(ownerId: string, now: number): Promise<void> {
  const { account } = await readRenewed(ownerId, now);
  if ((account.open_parts ?? 1) > 1) {
    const { grown_at = '' } = account;
    const isOld = grown_at < new Date(now - leastMs).toISOString();
    if (isOld && isQuiet(account, now)) await closeParts(ownerId);
  } else {
    await bringHome(ownerId, now);
  }
}

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Hold } from './reserve.ts';
import { chargeOf, endingOf, leftMsOf, type Outcome } from './settle.ts';
import type { NotedUse } from './terms/charge.ts';

/** Long after the audit that reads it, also where that is days late. */
const retentionSeconds = 14 * 86_400;

const longestWriteMs = 5_000;

/**
 * Notes what a call under way has used so far, in place of what was noted before. If its process dies before the call ends,
 * the audit charges that, and never more than the hold. Returns false if the call has ended, or is too late to.
 */
export async function noteUse(hold: Hold, outcome: Outcome): Promise<boolean> {
  if (hold.isEnded || leftMsOf(hold) < 0) return false;
  const { key_id, entry, hold: most, created_at } = hold.charge;
  const costNanoUsd = Math.min(outcome.costNanoUsd, most);
  const Item: NotedUse = {
    key_id,
    entry: `${entry}#noted`,
    charge: chargeOf(hold, endingOf({ ...outcome, costNanoUsd, figures: 'partial' })),
    expires_at: Math.floor(Date.parse(created_at) / 1000) + retentionSeconds,
  };
  const abortSignal = AbortSignal.timeout(longestWriteMs);
  await dynamodb.send(new PutCommand({ TableName: setting('LEDGER_TABLE'), Item }), {
    abortSignal,
  });
  return true;
}

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, getItem, queryPages, unlessConditionFails } from '../../../../aws/dynamodb.ts';
import { setting } from '../../../../config.ts';
import { endStanding } from '../../../../ledger/settle-standing.ts';
import { lookEveryMs, type StandingHold, standingIdIn } from '../../../../ledger/standing-hold.ts';
import { log } from '../../../../log.ts';
import { findJob } from '../../../engine/item/job.ts';

type Key = Pick<StandingHold, 'key_id' | 'entry'>;

/**
 * Gives back what stands for jobs that have ended without it: their worker may have been lost once too often. Each hold is
 * looked at each hour.
 */
export async function sweepStanding(): Promise<void> {
  const due = queryPages<Key>({
    TableName: setting('LEDGER_TABLE'),
    IndexName: 'audits',
    KeyConditionExpression: 'audit_lane = :lane AND audit_at <= :now',
    ExpressionAttributeValues: { ':lane': 'standing', ':now': new Date().toISOString() },
    Limit: 25,
  });
  for await (const { items } of due) for (const key of items) await sweepOne(key);
}

async function sweepOne({ key_id, entry }: Key): Promise<void> {
  const TableName = setting('LEDGER_TABLE');
  const standing = await getItem<StandingHold>(TableName, { key_id, entry });
  if (!standing) return;
  const job = await findJob({ key_id, job_id: standing.job_id });
  if (job && !job.completed_at) {
    const later = new UpdateCommand({
      ...{ TableName, Key: { key_id, entry } },
      ConditionExpression: 'attribute_exists(entry)',
      UpdateExpression: 'SET audit_at = :later',
      ExpressionAttributeValues: { ':later': new Date(Date.now() + lookEveryMs).toISOString() },
    });
    await unlessConditionFails(dynamodb.send(later));
  } else if (await endStanding(key_id, standingIdIn(entry))) {
    log('warn', 'standing hold given back', { key_id, job_id: standing.job_id });
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';

const paceKey = { key_id: 'deployment', entry: 'textract_pace' };

/**
 * Waits for this call's place in the deployment's pace of Textract pages: one item says when the next page
 * of any worker may be read, and each call moves that on by one interval.
 */
export async function waitForTurn(signal: AbortSignal): Promise<void> {
  const intervalMs = 1000 / setting('TEXTRACT_PAGES_PER_SECOND');
  const now = Date.now();
  const startsAt = (await takeNextSlot(now, intervalMs)) ?? (await startPace(now, intervalMs));
  if (startsAt === undefined) return waitForTurn(signal);
  const waitMs = startsAt - Date.now();
  if (waitMs > 0) await pause(waitMs, undefined, { signal });
}

/** A place behind those already given away. */
async function takeNextSlot(now: number, intervalMs: number): Promise<number | undefined> {
  const moved = await update('next_at >= :now', 'SET next_at = next_at + :interval', {
    ':now': now,
    ':interval': intervalMs,
  });
  return moved && moved - intervalMs;
}

/** Nobody waits: the place is now. */
async function startPace(now: number, intervalMs: number): Promise<number | undefined> {
  const moved = await update(
    'attribute_not_exists(next_at) OR next_at < :now',
    'SET next_at = :next',
    {
      ':now': now,
      ':next': now + intervalMs,
    },
  );
  return moved && now;
}

async function update(
  condition: string,
  change: string,
  values: Record<string, number>,
): Promise<number | undefined> {
  const updated = await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: paceKey,
        ConditionExpression: condition,
        UpdateExpression: change,
        ExpressionAttributeValues: values,
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
  );
  return updated?.Attributes?.['next_at'] as number | undefined;
}

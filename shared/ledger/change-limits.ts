import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type AccountLimits, accountKey, findAccount, limitAttributes } from './account.ts';
import { hasWindowEnded, renewWindow } from './renew-window.ts';
import { windowAt } from './window.ts';

/**
 * Changes an account's limits at once. What is spent and held stays, and may exceed a lower ceiling:
 * `available` is negative then. Throws if the key has no account.
 */
export async function changeAccountLimits(keyId: string, limits: AccountLimits): Promise<void> {
  for (;;) {
    const account = await findAccount(keyId);
    if (!account) throw new Error(`The key ${keyId} has no account`);
    const now = Date.now();
    if (hasWindowEnded(account, now)) {
      await renewWindow(account, now);
      continue;
    }
    const attributes = limitAttributes(limits);
    const { startsAt, endsAt } = windowAt(account.created_at, limits.duration, now);
    const changed = await unlessConditionFails(
      dynamodb.send(
        new UpdateCommand({
          TableName: setting('LEDGER_TABLE'),
          Key: accountKey(keyId),
          ConditionExpression: 'ceiling = :oldCeiling AND window_ends_at = :oldEnd',
          UpdateExpression:
            'SET ceiling = :ceiling, available = available + :raise, #duration = :duration, spent_since = :since, window_starts_at = :starts, window_ends_at = :ends, requests_per_minute = :rpm, max_concurrent = :concurrent',
          ExpressionAttributeNames: { '#duration': 'duration' },
          ExpressionAttributeValues: {
            ':oldCeiling': account.ceiling,
            ':oldEnd': account.window_ends_at,
            ':ceiling': attributes.ceiling,
            ':raise': attributes.ceiling - account.ceiling,
            ':duration': attributes.duration,
            // What is spent stays, though a new duration moves the window's start.
            ':since': account.spent_since ?? account.window_starts_at,
            ':starts': startsAt,
            ':ends': endsAt,
            ':rpm': attributes.requests_per_minute,
            ':concurrent': attributes.max_concurrent,
          },
        }),
      ),
    );
    if (changed) return;
  }
}

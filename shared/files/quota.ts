import { getItem } from '../aws/dynamodb.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';

/** What the files of a key, and its uploads that are under way, come to. */
interface Usage {
  files: number;
  bytes: number;
}

const usageKey = (key_id: string) => ({ key_id, entry: 'usage' });

/** Reads how much a key has. */
export async function usageOf(keyId: string): Promise<Usage> {
  const usage = await getItem<Usage>(setting('FILES_TABLE'), usageKey(keyId));
  return { files: usage?.files ?? 0, bytes: usage?.bytes ?? 0 };
}

/** Returns how many bytes more a key may have. Throws if it may have no more files. */
export async function bytesLeft(keyId: string): Promise<number> {
  const quota = setting('FILE_QUOTA');
  const { files, bytes } = await usageOf(keyId);
  if (files >= quota.files) throw quotaExceeded();
  return quota.bytes - bytes;
}

/**
 * The write that counts one more file, for the transaction that makes it. Its condition is the quota, unless
 * `beyondQuota`.
 */
export function countFile(keyId: string, bytes: number, beyondQuota = false): TransactWriteItem {
  const quota = setting('FILE_QUOTA');
  if (bytes > quota.bytes && !beyondQuota) throw quotaExceeded();
  return {
    Update: {
      TableName: setting('FILES_TABLE'),
      Key: usageKey(keyId),
      UpdateExpression: 'ADD files :one, #bytes :bytes',
      ExpressionAttributeNames: { '#bytes': 'bytes' },
      ExpressionAttributeValues: {
        ':one': 1,
        ':bytes': bytes,
        ...(!beyondQuota && { ':maxFiles': quota.files, ':most': quota.bytes - bytes }),
      },
      ...(!beyondQuota && {
        ConditionExpression:
          'attribute_not_exists(files) OR (files < :maxFiles AND #bytes <= :most)',
      }),
    },
  };
}

/** The write that counts a file no more, part of the transaction that ends it. */
export const uncountFile = (keyId: string, bytes: number): TransactWriteItem => ({
  Update: {
    TableName: setting('FILES_TABLE'),
    Key: usageKey(keyId),
    UpdateExpression: 'ADD files :one, #bytes :bytes',
    ExpressionAttributeNames: { '#bytes': 'bytes' },
    ExpressionAttributeValues: { ':one': -1, ':bytes': -bytes },
  },
});

export function quotaExceeded(): ServiceError {
  const { files, bytes } = setting('FILE_QUOTA');
  const mb = Math.floor(bytes / 2 ** 20);
  return new ServiceError(
    400,
    'file_quota_exceeded',
    `A key may have ${files} files of ${mb} MB together, uploads under way counted. Delete some, or let them expire with expires_after.`,
    { param: 'file' },
  );
}

import { getItem } from '../aws/dynamodb.ts';
import { expressUpdate, type PlaceName, type PlaceValue } from '../aws/express-update.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { ServiceError } from '../http/errors.ts';

/** The number and bytes of a key's files, and of its uploads under way. */
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
  if (beyondQuota) return counting(keyId, 1, bytes);
  if (bytes > quota.bytes) throw quotaExceeded();
  return counting(keyId, 1, bytes, (value, name) => {
    const fits = `files < ${value(quota.files)} AND ${name('bytes')} <= ${value(quota.bytes - bytes)}`;
    return `attribute_not_exists(files) OR (${fits})`;
  });
}

/** The write that counts a file no more, part of the transaction that ends it. */
export const uncountFile = (keyId: string, bytes: number) => counting(keyId, -1, -bytes);

const counting = (
  keyId: string,
  files: number,
  bytes: number,
  when?: (value: PlaceValue, name: PlaceName) => string,
): TransactWriteItem => ({
  Update: expressUpdate(setting('FILES_TABLE'), usageKey(keyId), (value, name) => ({
    when: [when?.(value, name)],
    add: [`files ${value(files)}`, `${name('bytes')} ${value(bytes)}`],
  })),
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

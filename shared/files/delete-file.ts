import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { dynamodb } from '../aws/dynamodb.ts';
import { expressUpdate } from '../aws/express-update.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import {
  type FileKey,
  findStoredFile,
  instant,
  isVisible,
  type Kept,
  noSuchFile,
  type StoredFile,
  sweepLane,
} from './file.ts';
import { deleteFolder } from './objects.ts';
import { uncountFile } from './quota.ts';

/** How long a request erases before it leaves the rest to the sweep. */
const patienceMs = 12_000;

/** How long a request has for its deletion before the sweep goes on. */
const sweepAfterMs = 15_000;

/** How long a writer that was at work during an erasure may go on: then its objects are erased too. */
const lateWriterMs = 20 * 60_000;

/**
 * Deletes a file of a key: its first write hides and uncounts it. Returns whether there was one, also for some
 * minutes after.
 */
export async function deleteFile(keyId: string, id: string): Promise<boolean> {
  const file = await findStoredFile(keyId, id);
  if (!file || !(isVisible(file) || file.status === 'deleted')) return false;
  if (file.status === 'ready') await endFile(file);
  await eraseRemains(file, Date.now() + patienceMs);
  return true;
}

/** The response for a deleted file. */
export const DeletedFile = v.object({
  id: v.string(),
  object: v.literal('file'),
  deleted: v.literal(true),
});

/** Deletes a file of a key for a caller. Throws the 404 if there is none. */
export async function deleteCallersFile(
  keyId: string,
  id: string,
): Promise<v.InferOutput<typeof DeletedFile>> {
  if (!(await deleteFile(keyId, id))) throw noSuchFile(id);
  return { id, object: 'file', deleted: true };
}

/** Ends a file that is whole. Returns whether it did; another may have. */
export const endFile = (file: StoredFile) =>
  endWith(file, 'ready', 'deleted', [uncountFile(file.key_id, file.bytes)]);

/** Ends a file whose making broke off, and erases what there is of it. Another's attempt to make it stays. */
export async function abandonFile(file: StoredFile): Promise<void> {
  if (await endWith(file, 'uploading', 'deleted', [], file.object)) {
    await eraseRemains(file, Date.now() + patienceMs);
  }
}

/** Moves an item from one status to its last, with other writes, and has the sweep erase its objects. */
export async function endWith(
  { key_id, entry }: FileKey,
  from: string,
  to: string,
  others: TransactWriteItem[],
  object?: string,
): Promise<boolean> {
  const Update = expressUpdate(setting('FILES_TABLE'), { key_id, entry }, (value, name) => ({
    when: [`${name('status')} = ${value(from)}`, object && `${name('object')} = ${value(object)}`],
    set: [
      `${name('status')} = ${value(to)}`,
      `lane = ${value(sweepLane)}`,
      `due_at = ${value(instant(Date.now() + sweepAfterMs))}`,
    ],
  }));
  return (await writeTransaction([{ Update }, ...others])) === undefined;
}

/**
 * Erases the objects of an ended file or upload. It may break off and run again. The sweep looks once more, then the
 * table forgets the item.
 */
export async function eraseRemains(kept: Kept, untilMs: number): Promise<void> {
  if (!(await deleteFolder(kept, untilMs))) return;
  const { key_id, entry, erased_at } = kept;
  const now = Date.now();
  const [TableName, Key] = [setting('FILES_TABLE'), { key_id, entry }];
  if (erased_at && Date.parse(erased_at) + lateWriterMs <= now) {
    await dynamodb.send(new DeleteCommand({ TableName, Key }));
    return;
  }
  await updateItem(
    expressUpdate(TableName, Key, (value) => ({
      when: ['attribute_exists(entry)', 'attribute_not_exists(erased_at)'],
      set: [`erased_at = ${value(instant(now))}`, `due_at = ${value(instant(now + lateWriterMs))}`],
    })),
  );
}

import { getItem, queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { abandonFile, endFile, eraseRemains } from './delete-file.ts';
import { type FileKey, instant, type StoredFile, sweepLane } from './file.ts';
import { endUpload, type StoredUpload } from './upload.ts';

/** Of the minute that a sweep may take: what is left then is gone on with by the next. */
const patienceMs = 40_000;

/** Ends each file and upload that has expired or was never made whole, and erases what is left of those that ended. */
export async function sweepFiles(): Promise<void> {
  const untilMs = Date.now() + patienceMs;
  let swept = 0;
  const pages = queryPages<FileKey>({
    TableName: setting('FILES_TABLE'),
    IndexName: 'due',
    KeyConditionExpression: 'lane = :lane AND due_at <= :now',
    ExpressionAttributeValues: { ':lane': sweepLane, ':now': instant(Date.now()) },
    Limit: 10,
  });
  for await (const { items } of pages) {
    if (Date.now() >= untilMs) break;
    await Promise.all(items.map((key) => sweepSafely(key, untilMs)));
    swept += items.length;
  }
  if (swept > 0) log('info', 'files swept', { files: swept });
}

/** One that fails must not keep the sweep from the others. */
async function sweepSafely({ key_id, entry }: FileKey, untilMs: number): Promise<void> {
  try {
    const item = await getItem<StoredFile | StoredUpload>(setting('FILES_TABLE'), {
      key_id,
      entry,
    });
    // The index may be behind the table.
    if (item?.due_at && item.due_at <= instant(Date.now())) await sweep(item, untilMs);
  } catch (error) {
    log('error', 'sweep of a file failed', { file: entry, ...errorFields(error) });
  }
}

async function sweep(item: StoredFile | StoredUpload, untilMs: number): Promise<void> {
  if (item.status === 'uploading') return abandonFile(item);
  if (item.status === 'ready' && !(await endFile(item))) return;
  if (item.status === 'pending' && !(await endUpload(item, 'expired'))) return;
  await eraseRemains(item, untilMs);
}

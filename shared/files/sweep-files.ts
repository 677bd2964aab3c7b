import { getItem } from '../aws/dynamodb.ts';
import { sweepDue } from '../aws/sweep-due.ts';
import { setting } from '../config.ts';
import { abandonFile, endFile, eraseRemains } from './delete-file.ts';
import { type FileKey, instant, type StoredFile, sweepLane } from './file.ts';
import { endUpload, type StoredUpload } from './upload.ts';

/** How long a sweep, which has a minute, goes on before it leaves the rest to the next. */
const patienceMs = 40_000;

/** Ends each file and upload that has expired or was never made whole, and erases the rest of ended ones. */
export async function sweepFiles(): Promise<void> {
  const table = setting('FILES_TABLE');
  const due = { table, lane: sweepLane, limit: 10, thing: 'file', patienceMs };
  await sweepDue<FileKey>(due, async ({ key_id, entry }, untilMs) => {
    const item = await getItem<StoredFile | StoredUpload>(table, { key_id, entry });
    // The index may be behind the table.
    if (item?.due_at && item.due_at <= instant(Date.now())) await sweep(item, untilMs);
  });
}

async function sweep(item: StoredFile | StoredUpload, untilMs: number): Promise<void> {
  if (item.status === 'uploading') return abandonFile(item);
  if (item.status === 'ready' && !(await endFile(item))) return;
  if (item.status === 'pending' && !(await endUpload(item, 'expired'))) return;
  await eraseRemains(item, untilMs);
}

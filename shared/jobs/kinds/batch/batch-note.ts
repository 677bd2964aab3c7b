import { putItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import { type JobKey, retentionEnd } from '../../engine/item/job.ts';
import { batchIdOf } from './batch-id.ts';

/** For how long after a batch may have begun its job may still run, in seconds. */
const marginSeconds = 3 * 86_400;

/** Notes a batch before its job, for lists: a key may have many other jobs. A note without a job is skipped. */
export async function noteBatch({ key_id, job_id }: JobKey): Promise<void> {
  const note = { key_id, job_id: batchIdOf(job_id), batch_job_id: job_id };
  const Item = { ...note, expires_at: retentionEnd() + marginSeconds };
  await putItem({ TableName: setting('JOBS_TABLE'), Item });
}

/** The same item, as an erasure deletes it. */
export const batchLinkOf = ({ job_id }: JobKey) => ({
  job_id: batchIdOf(job_id),
  attribute: 'batch_job_id',
  value: job_id,
});

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { StoredJob } from './stored-job.ts';

/** Writes bare jobs of given times of creation, and a submission's name beside them. */
export async function putJobs(
  key_id: string,
  jobs: (Partial<StoredJob> & { created: number })[],
): Promise<void> {
  const items = [
    { job_id: 'submission_abc' },
    ...jobs.map(({ created, ...job }) => ({ job_id: `job_${uuidv7({ msecs: created })}`, ...job })),
  ];
  for (const item of items) {
    await dynamodb.send(
      new PutCommand({ TableName: setting('JOBS_TABLE'), Item: { key_id, ...item } }),
    );
  }
}

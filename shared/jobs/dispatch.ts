import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { log } from '../log.ts';
import type { Job } from './job.ts';
import { ring } from './ring.ts';

/** Rings for every job that a batch of the table's stream shows to have become queued. */
export async function dispatchJobs({
  Records,
}: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const becameQueued = Records.filter(
    ({ dynamodb }) =>
      dynamodb?.NewImage?.['status']?.S === 'queued' &&
      dynamodb.OldImage?.['status']?.S !== 'queued',
  );
  const sequenceNumbers = new Map(
    becameQueued.map((record) => [jobOf(record), record.dynamodb?.SequenceNumber ?? '']),
  );
  const refused = await ring([...sequenceNumbers.keys()]);
  for (const { job_id } of refused) log('warn', 'doorbell refused', { job_id });
  return {
    batchItemFailures: refused.map((job) => ({ itemIdentifier: sequenceNumbers.get(job) ?? '' })),
  };
}

function jobOf({ dynamodb }: DynamoDBRecord): Job {
  return unmarshall(dynamodb?.NewImage as Record<string, AttributeValue>) as Job;
}

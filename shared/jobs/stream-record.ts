import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Job } from './job.ts';

/** Returns the job that a record of the table's stream tells of, as it is after the write. */
export const jobOfRecord = ({ dynamodb }: DynamoDBRecord) =>
  unmarshall(dynamodb?.NewImage as Record<string, AttributeValue>) as Job;

/** Whether a record tells of a job that ends by it. */
export function hasEndedNow({ dynamodb: { NewImage, OldImage } = {} }: DynamoDBRecord): boolean {
  return NewImage?.['completed_at'] !== undefined && OldImage?.['completed_at'] === undefined;
}

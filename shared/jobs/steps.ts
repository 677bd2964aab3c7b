import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { keepText, readText } from './bodies.ts';
import type { Job, JobKey } from './job.ts';

/** Above this many bytes of JSON a step's value lies in object storage; an item may hold 400 KB. */
const inlineStepBytes = 300_000;

/**
 * What a job has done of its work: one page, one line, one part, under a name of its own. Steps lie beside
 * the job in its table and are written once, so that work which stops goes on after the last one.
 */
interface Step {
  name: string;
  value?: unknown;
  value_object?: string;
}

/** A part's steps are its document's. */
const prefixOf = ({ job_id, parent_job_id }: StepOwner) =>
  `step_${uuidOf(job_id.startsWith('part_') && parent_job_id ? parent_job_id : job_id)}#`;

type StepOwner = JobKey & Pick<Job, 'parent_job_id'>;

const uuidOf = (jobId: string) => jobId.slice(jobId.indexOf('_') + 1);

/** The write of a step, for a transaction; it fails where the step is there already. */
export async function stepWrite(
  job: StepOwner,
  name: string,
  value: unknown,
): Promise<TransactWriteItem> {
  const json = JSON.stringify(value);
  const isLarge = Buffer.byteLength(json) > inlineStepBytes;
  return {
    Put: {
      TableName: setting('JOBS_TABLE'),
      Item: {
        key_id: job.key_id,
        job_id: `${prefixOf(job)}${name}`,
        ...(isLarge
          ? { value_object: await keepText(job, `step-${name}-${randomUUID()}`, json) }
          : { value }),
        expires_at: Math.floor(Date.now() / 1000) + setting('JOB_RETENTION_DAYS') * 86_400,
      },
      ConditionExpression: 'attribute_not_exists(job_id)',
    },
  };
}

/** Writes a step that cost nothing; one that is there already stays as it is. */
export async function saveStep(job: StepOwner, name: string, value: unknown): Promise<void> {
  const { Put } = await stepWrite(job, name, value);
  if (Put) await unlessConditionFails(dynamodb.send(new PutCommand(Put)));
}

/** Reads one step's value; undefined where it is yet to be done. */
export async function findStep<Value>(job: StepOwner, name: string): Promise<Value | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({
      TableName: setting('JOBS_TABLE'),
      Key: { key_id: job.key_id, job_id: `${prefixOf(job)}${name}` },
      ConsistentRead: true,
    }),
  );
  return Item && readValue<Value>({ name, ...Item });
}

/** Reads the steps between two names, both included, in the order of their names. */
export async function* stepsBetween<Value>(
  job: StepOwner,
  first: string,
  last: string,
): AsyncGenerator<{ name: string; value: Value }> {
  for await (const step of itemsBetween(job, first, last)) {
    yield { name: step.name, value: await readValue<Value>(step) };
  }
}

async function* itemsBetween(job: StepOwner, first: string, last: string): AsyncGenerator<Step> {
  const prefix = prefixOf(job);
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(
      new QueryCommand({
        TableName: setting('JOBS_TABLE'),
        KeyConditionExpression: 'key_id = :key AND job_id BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':key': job.key_id,
          ':first': `${prefix}${first}`,
          ':last': `${prefix}${last}`,
        },
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const item of Items) yield { ...item, name: String(item['job_id']).slice(prefix.length) };
    from = LastEvaluatedKey;
  } while (from);
}

/** The names of the steps between two names, both included. */
export async function stepNames(job: StepOwner, first: string, last: string): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { name } of itemsBetween(job, first, last)) names.add(name);
  return names;
}

async function readValue<Value>({ value, value_object }: Step): Promise<Value> {
  return (value_object ? JSON.parse(await readText(value_object)) : value) as Value;
}

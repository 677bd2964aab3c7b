import { randomUUID } from 'node:crypto';
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { isStorable, queryItems } from '../../../aws/dynamodb.ts';
import type { TransactWriteItem } from '../../../aws/transact.ts';
import { putItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import { callersJobIdOf, findItem, type Job, type JobKey, retentionEnd } from './job.ts';
import { getText, putObject } from './objects.ts';

/** A larger value goes to object storage, as an item may hold 400 KB; so does one that the table can't hold as it is. */
const inlineStepBytes = 300_000;

/** A finished piece of a job's work, such as a page, a line or an answer. Each is written once, beside the job. */
interface Step {
  name: string;
  value?: unknown;
  value_object?: string;
}

type StepOwner = JobKey & Pick<Job, 'parent_job_id'>;

/** What the ids of a job's steps begin with. */
export const stepsPrefixOf = (owner: StepOwner) =>
  `step_${callersJobIdOf(owner).replace(/^[a-z]+_/, '')}#`;

/** Returns the write of a step, which fails if it is there. `kept_as` is the item that gives later jobs its value. */
export async function stepWrite(
  job: StepOwner,
  name: string,
  value: unknown,
  kept_as?: string,
): Promise<TransactWriteItem> {
  const json = JSON.stringify(value);
  const isInline = Buffer.byteLength(json) <= inlineStepBytes && isStorable(value);
  return {
    Put: {
      TableName: setting('JOBS_TABLE'),
      Item: {
        key_id: job.key_id,
        job_id: `${stepsPrefixOf(job)}${name}`,
        ...(isInline
          ? { value }
          : { value_object: await putObject(job, `step-${name}-${randomUUID()}`, json) }),
        ...(kept_as && { kept_as }),
        expires_at: retentionEnd(),
      },
      ConditionExpression: 'attribute_not_exists(job_id)',
    },
  };
}

/** Writes a step that cost nothing; one that is there already stays as it is. */
export async function saveStep(
  job: StepOwner,
  name: string,
  value: unknown,
  kept_as?: string,
): Promise<void> {
  const { Put } = await stepWrite(job, name, value, kept_as);
  if (Put) await putItem(Put);
}

/** Reads one step's value; undefined if it is yet to be done. */
export async function findStep<Value>(job: StepOwner, name: string): Promise<Value | undefined> {
  const item = await findItem({ key_id: job.key_id, job_id: `${stepsPrefixOf(job)}${name}` });
  return item && readValue<Value>({ name, ...item });
}

/** Reads the steps between two names, both included, in the order of their names. */
export const stepsBetween = <Value>(job: StepOwner, first: string, last: string) =>
  stepsUnder<Value>(job.key_id, stepsPrefixOf(job), first, last);

/** Reads the same of what lies under another prefix than a job's. */
export async function* stepsUnder<Value>(
  keyId: string,
  prefix: string,
  first: string,
  last: string,
): AsyncGenerator<{ name: string; value: Value }> {
  for await (const step of itemsBetween(keyId, prefix, first, last)) {
    yield { name: step.name, value: await readValue<Value>(step) };
  }
}

async function* itemsBetween(
  keyId: string,
  prefix: string,
  first: string,
  last: string,
  only: Pick<QueryCommandInput, 'ProjectionExpression' | 'ExpressionAttributeNames'> = {},
): AsyncGenerator<Step> {
  const items = queryItems<{ job_id: string }>({
    TableName: setting('JOBS_TABLE'),
    KeyConditionExpression: 'key_id = :key AND job_id BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':key': keyId,
      ':first': `${prefix}${first}`,
      ':last': `${prefix}${last}`,
    },
    ConsistentRead: true,
    ...only,
  });
  for await (const item of items) yield { ...item, name: item.job_id.slice(prefix.length) };
}

/** Reads the same with one field of their values alone; of a value in object storage, without any. */
export async function* stepFields<Value extends object>(
  job: StepOwner,
  first: string,
  last: string,
  field: keyof Value & string,
): AsyncGenerator<{ name: string; value: Partial<Value> | undefined }> {
  const only = {
    ProjectionExpression: 'job_id, #value.#field',
    ExpressionAttributeNames: { '#value': 'value', '#field': field },
  };
  for await (const step of itemsBetween(job.key_id, stepsPrefixOf(job), first, last, only)) {
    yield { name: step.name, value: step.value as Partial<Value> | undefined };
  }
}

async function readValue<Value>({ value, value_object }: Step): Promise<Value> {
  return (value_object ? JSON.parse(await getText(value_object)) : value) as Value;
}

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { instant } from './job.ts';

/** A sweep is over by then, as its function's time is. */
const leaseMs = 60_000;

/** The item that the sweep at work holds; no key has this id. */
const Key = { key_id: 'sweep', job_id: 'lease' };

/** Runs a sweep unless another one is at work. Returns whether it ran. */
export async function sweepAlone(sweep: () => Promise<void>): Promise<boolean> {
  const until = instant(Date.now() + leaseMs);
  if (!(await take(until))) return false;
  try {
    await sweep();
    return true;
  } finally {
    await giveBack(until);
  }
}

const take = (until: string) =>
  unlessConditionFails(
    update({
      UpdateExpression: 'SET swept_until = :until',
      ConditionExpression: 'attribute_not_exists(swept_until) OR swept_until < :now',
      ExpressionAttributeValues: { ':until': until, ':now': instant(Date.now()) },
    }),
  );

/** A sweep that outlived its lease must not end that of the next. */
const giveBack = (until: string) =>
  unlessConditionFails(
    update({
      UpdateExpression: 'REMOVE swept_until',
      ConditionExpression: 'swept_until = :until',
      ExpressionAttributeValues: { ':until': until },
    }),
  );

const update = (expressions: object) =>
  dynamodb.send(new UpdateCommand({ TableName: setting('JOBS_TABLE'), Key, ...expressions }));

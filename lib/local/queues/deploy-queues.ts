import {
  BucketAlreadyExists,
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CreateQueueCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../engines/client-config.ts';
import type { ResourceNames } from '../template/resource-names.ts';
import { type Resource, resolve, resourcesOf, type Template } from '../template/template.ts';

/** The queue attributes that have the same names in a template and in SQS's API. */
const attributeNames = [
  'VisibilityTimeout',
  'MessageRetentionPeriod',
  'DelaySeconds',
  'ReceiveMessageWaitTimeSeconds',
  'MaximumMessageSize',
];

/** Makes the template's queues that don't exist yet, and brings the attributes of all up to date. */
export async function deployQueues(
  template: Template,
  names: ResourceNames,
  url: string,
): Promise<void> {
  const sqs = new SQSClient(clientConfig(url));
  const queues = resourcesOf(template, 'AWS::SQS::Queue');
  for (const [id] of queues) {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: names.nameOf(id) }));
    // fauxqs's URLs name a host of its own, which the SDK would try to reach.
    names.set(id, 'Ref', new URL(new URL(QueueUrl ?? '').pathname, url).href);
  }
  for (const [id, queue] of queues) {
    await sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl: names.ref(id),
        Attributes: attributesOf(queue, names),
      }),
    );
  }
  sqs.destroy();
}

function attributesOf({ Properties = {} }: Resource, names: ResourceNames): Record<string, string> {
  const attributes = attributeNames
    .filter((name) => name in Properties)
    .map((name) => [name, String(Properties[name])]);
  const redrive = resolve(Properties['RedrivePolicy'], names);
  if (redrive) attributes.push(['RedrivePolicy', JSON.stringify(redrive)]);
  return Object.fromEntries(attributes);
}

/** Makes the template's buckets that don't exist yet. */
export async function deployBuckets(
  template: Template,
  names: ResourceNames,
  url: string,
): Promise<void> {
  const s3 = new S3Client(clientConfig(url));
  for (const [id] of resourcesOf(template, 'AWS::S3::Bucket')) {
    try {
      await s3.send(new CreateBucketCommand({ Bucket: names.nameOf(id) }));
    } catch (error) {
      const exists =
        error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists;
      if (!exists) throw error;
    }
  }
  s3.destroy();
}

import { Stack } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { type Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';

/**
 * Encrypts all kept data with the operator's key: tables, bucket, queues, logs and secrets. Functions use it as they
 * need, through those services alone. It comes last. SETTINGS.md has the key's policy for logs.
 */
export function encryptWith(keyArn: string, scope: IConstruct): void {
  for (const child of scope.node.findAll()) {
    encrypt(child, keyArn);
    if (child instanceof ServiceFunction) allow(child, keyArn);
  }
}

function encrypt(child: IConstruct, keyArn: string): void {
  if (child instanceof CfnGlobalTable) {
    child.sseSpecification = { sseEnabled: true, sseType: 'KMS' };
    child.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: keyArn });
  }
  if (child instanceof CfnBucket) {
    const encryption = { sseAlgorithm: 'aws:kms', kmsMasterKeyId: keyArn };
    const rule = { serverSideEncryptionByDefault: encryption, bucketKeyEnabled: true };
    child.bucketEncryption = { serverSideEncryptionConfiguration: [rule] };
  }
  if (child instanceof CfnQueue) {
    child.addPropertyDeletionOverride('SqsManagedSseEnabled');
    child.kmsMasterKeyId = keyArn;
    // The key is asked once an hour, not once in five minutes, for each sender.
    child.kmsDataKeyReusePeriodSeconds = 3_600;
  }
  if (child instanceof CfnLogGroup || child instanceof CfnSecret) child.kmsKeyId = keyArn;
}

const writeItem = [
  ...['kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
  ...['kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
];

/**
 * The permissions on the key that an action of another service needs beside decrypting.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 */
const writing: Record<string, string[]> = {
  'dynamodb:DeleteItem': writeItem,
  'dynamodb:PutItem': writeItem,
  'dynamodb:UpdateItem': writeItem,
  's3:PutObject': ['kms:GenerateDataKey'],
  'sqs:SendMessage': ['kms:GenerateDataKey'],
};

/** The services that keep what is encrypted. */
const services = ['dynamodb', 's3', 'secretsmanager', 'sqs', 'ssm'];

function allow(fn: ServiceFunction, keyArn: string): void {
  const granted = actionsOf(fn);
  const used = services.filter((name) => granted.some((action) => action.startsWith(`${name}:`)));
  if (used.length === 0) return;
  const actions = ['kms:Decrypt', ...granted.flatMap((action) => writing[action] ?? [])];
  const { region, urlSuffix } = Stack.of(fn);
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: [...new Set(actions)],
      resources: [keyArn],
      conditions: {
        StringEquals: { 'kms:ViaService': used.map((name) => `${name}.${region}.${urlSuffix}`) },
      },
    }),
  );
}

/** Returns all that a function's policy allows. */
function actionsOf(fn: ServiceFunction): string[] {
  const policy = fn.role?.node.tryFindChild('DefaultPolicy') as Policy | undefined;
  const { Statement = [] } = policy?.document.toJSON() ?? {};
  return Statement.flatMap(({ Action }: { Action: string | string[] }) => Action);
}

import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ServiceBucket } from '../base/service-bucket.ts';
import { index, keyed, ServiceTable } from '../base/service-table.ts';

export interface JobTableProps {
  readonly retentionDays: number;
}

/** How much longer an object is kept than an ended job: it expires by its own age, and a job may wait for days. */
const objectMarginDays = 30;
/** How the names of objects begin that one function puts for another to read. A job's begin with its key's id. */
const handOverPrefix = 'handed-over/';

/** The jobs: their table with its three sparse indexes, and the bucket for what is too large for the table. */
export class JobTable extends Construct {
  readonly table: ServiceTable;
  private readonly objects: Bucket;
  private readonly retentionDays: number;

  constructor(scope: Construct, id: string, { retentionDays }: JobTableProps) {
    super(scope, id);
    this.retentionDays = retentionDays;
    this.table = new ServiceTable(this, 'table', {
      ...keyed('key_id', 'job_id'),
      globalSecondaryIndexes: [
        index('ready', 'lane', 'turn'),
        index('due', 'lane', 'due_at'),
        index('ended', 'key_id', 'ended'),
      ],
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    // The id is part of the bucket's logical id: another would make another bucket.
    this.objects = new ServiceBucket(this, 'bodies', [
      {
        expiration: Duration.days(retentionDays + objectMarginDays),
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
      // They are deleted once they are read, unless their function dies.
      { prefix: handOverPrefix, expiration: Duration.days(1), oldVersionDays: 1 },
    ]);
  }

  /** Lets a function count a key's jobs. */
  grantCount(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:Query');
    this.setEnvironment(fn);
  }

  /** Lets a function list a key's batches. */
  grantListBatches(fn: LambdaFunction): void {
    this.grantCount(fn);
    this.table.allow(fn, 'dynamodb:BatchGetItem');
  }

  /** Lets a function list a key's jobs, without their objects. */
  grantList(fn: LambdaFunction): void {
    this.grantCount(fn);
    this.table.allow(fn, 'dynamodb:BatchGetItem', 'dynamodb:GetItem');
    this.table.allowQuery(fn, 'ended');
  }

  grantRead(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:GetItem');
    this.allowOnObjects(fn, 's3:GetObject');
    this.setEnvironment(fn);
  }

  /** Lets a function find which jobs have worked on a file, without their objects. */
  grantFindKnown(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:GetItem');
    this.setEnvironment(fn);
  }

  grantSubmit(fn: LambdaFunction): void {
    this.grantRetry(fn);
    this.grantPut(fn);
  }

  /** Lets a function move jobs from one status to another, without their objects. */
  grantTransition(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:GetItem', 'dynamodb:UpdateItem');
    this.setEnvironment(fn);
  }

  /** Lets a function make a job of one that has ended, without its objects: give it its turn, and put it. */
  grantRetry(fn: LambdaFunction): void {
    this.grantTransition(fn);
    this.table.allow(fn, 'dynamodb:PutItem');
    this.table.allowQuery(fn, 'ready');
  }

  /** Lets a worker claim jobs, save its progress, and make jobs for them. */
  grantWork(fn: LambdaFunction): void {
    this.grantTransition(fn);
    this.table.allowQuery(fn, 'ready');
    this.grantChildren(fn);
    this.table.allow(fn, 'dynamodb:BatchGetItem', 'dynamodb:PutItem');
  }

  /** Lets a function find a job's children: the jobs that were made for it. */
  grantChildren(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:Query');
  }

  grantErase(fn: LambdaFunction): void {
    const actions = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];
    this.table.allow(fn, ...actions.map((action) => `dynamodb:${action}`));
    this.allowOnObjects(fn, 's3:DeleteObject', 's3:GetObject', 's3:PutObject');
    const resources = [this.objects.bucketArn];
    fn.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources }));
    this.setEnvironment(fn);
  }

  /** Lets a function find the jobs that are due. */
  grantDue(fn: LambdaFunction): void {
    this.table.allowQuery(fn, 'due');
  }

  /** Lets a function put jobs' objects. */
  grantPut(fn: LambdaFunction): void {
    this.allowOnObjects(fn, 's3:PutObject');
  }

  /** Lets a function read and write jobs' objects. */
  grantObjects(fn: LambdaFunction): void {
    this.allowOnObjects(fn, 's3:GetObject', 's3:PutObject');
  }

  /** Lets a function put objects in several parts, and give such an upload up. */
  grantUpload(fn: LambdaFunction): void {
    this.grantObjects(fn);
    this.allowOnObjects(fn, 's3:AbortMultipartUpload');
  }

  /** Lets a function put what another is to read behind a link, which it signs, and delete it afterwards. */
  grantHandOver(fn: LambdaFunction): void {
    const actions = ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'];
    this.allow(fn, handOverPrefix, 'One role hands over the documents of all keys.', actions);
    fn.addEnvironment('OBJECTS_BUCKET', this.objects.bucketName);
    fn.addEnvironment('HAND_OVER_PREFIX', handOverPrefix);
  }

  private allowOnObjects(fn: LambdaFunction, ...actions: string[]): void {
    const reason = 'One role serves the jobs of all keys, whose objects are in this bucket.';
    this.allow(fn, '', reason, actions);
  }

  private allow(fn: LambdaFunction, prefix: string, reason: string, actions: string[]): void {
    const resources = [this.objects.arnForObjects(`${prefix}*`)];
    fn.addToRolePolicy(new PolicyStatement({ actions, resources }));
    const bucketId = Stack.of(this).getLogicalId(this.objects.node.defaultChild as CfnBucket);
    Validations.of(fn).acknowledge({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/${prefix}*]`,
      reason,
    });
  }

  private setEnvironment(fn: LambdaFunction): void {
    fn.addEnvironment('JOBS_TABLE', this.table.tableName);
    fn.addEnvironment('OBJECTS_BUCKET', this.objects.bucketName);
    fn.addEnvironment('JOB_RETENTION_DAYS', String(this.retentionDays));
  }
}

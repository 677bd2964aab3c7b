import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ServiceBucket } from './base/service-bucket.ts';
import { index, keyed, ServiceTable } from './base/service-table.ts';
import type { JobTable } from './jobs/job-table.ts';

export interface FileStoreProps {
  /** The most files of a key, and of their bytes. */
  readonly quota: { readonly files: number; readonly bytes: number };
  /** Jobs: their results are files too. */
  readonly jobs: JobTable;
}

/** The files and uploads of keys: their table, with a sparse index for the sweep, and a bucket without an age limit. */
export class FileStore extends Construct {
  readonly table: ServiceTable;
  private readonly objects: Bucket;
  readonly quota: FileStoreProps['quota'];
  private readonly jobs: JobTable;

  constructor(scope: Construct, id: string, props: FileStoreProps) {
    super(scope, id);
    const { quota, jobs } = props;
    this.jobs = jobs;
    this.quota = quota;
    this.table = new ServiceTable(this, 'table', {
      ...keyed('key_id', 'entry'),
      globalSecondaryIndexes: [index('due', 'lane', 'due_at')],
    });
    this.objects = new ServiceBucket(this, 'objects', [
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ]);
  }

  /** Lets a function find what a key has uploaded. */
  grantFindUploaded(fn: LambdaFunction): void {
    this.allow(fn, 'GetItem');
  }

  /** Lets a function find what a key has uploaded, and read it. */
  grantReadUploaded(fn: LambdaFunction): void {
    this.grantFindUploaded(fn);
    this.allowOnObjects(fn, 's3:GetObject');
  }

  /** Lets a function find a key's files and uploads, and read results of its jobs, which are files where they are. */
  grantFind(fn: LambdaFunction): void {
    this.grantFindUploaded(fn);
    this.jobs.grantRead(fn);
  }

  /** Lets a function list a key's files. */
  grantList(fn: LambdaFunction): void {
    this.allow(fn, 'Query');
  }

  /** Lets a function find files and read them. */
  grantRead(fn: LambdaFunction): void {
    this.grantReadUploaded(fn);
    this.jobs.grantRead(fn);
  }

  /** Lets a function make files, and erase what it made of one that breaks off. */
  grantCreate(fn: LambdaFunction): void {
    this.grantDelete(fn);
    this.allow(fn, 'PutItem');
    this.allowOnObjects(fn, 's3:AbortMultipartUpload', 's3:PutObject');
    this.setQuota(fn);
  }

  /** Lets a function delete files and cancel uploads, with all that was stored for them. */
  grantDelete(fn: LambdaFunction): void {
    this.allow(fn, 'DeleteItem', 'GetItem', 'UpdateItem');
    this.allowOnObjects(fn, 's3:DeleteObject');
    const resources = [this.objects.bucketArn];
    fn.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources }));
  }

  /** Lets a function begin uploads. */
  grantUpload(fn: LambdaFunction): void {
    this.allow(fn, 'PutItem', 'UpdateItem');
    this.setQuota(fn);
  }

  /** Lets a function store parts of uploads. */
  grantAddPart(fn: LambdaFunction): void {
    this.allow(fn, 'GetItem', 'PutItem', 'UpdateItem');
    this.allowOnObjects(fn, 's3:PutObject');
  }

  /** Lets a function make files of uploads. */
  grantComplete(fn: LambdaFunction): void {
    this.allow(fn, 'GetItem', 'PutItem', 'Query', 'UpdateItem');
    this.allowOnObjects(fn, 's3:DeleteObject', 's3:GetObject', 's3:PutObject');
  }

  /** Lets a function end what has expired, and erase what has ended. */
  grantSweep(fn: LambdaFunction): void {
    this.grantDelete(fn);
    this.table.allowQuery(fn, 'due');
  }

  private allow(fn: LambdaFunction, ...actions: string[]): void {
    this.table.allow(fn, ...actions.map((action) => `dynamodb:${action}`));
    fn.addEnvironment('FILES_TABLE', this.table.tableName);
  }

  private allowOnObjects(fn: LambdaFunction, ...actions: string[]): void {
    fn.addToRolePolicy(
      new PolicyStatement({ actions, resources: [this.objects.arnForObjects('*')] }),
    );
    fn.addEnvironment('FILES_BUCKET', this.objects.bucketName);
    const bucketId = Stack.of(this).getLogicalId(this.objects.node.defaultChild as CfnBucket);
    Validations.of(fn).acknowledge({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/*]`,
      reason: 'One role serves the files of all keys, whose objects are in this bucket.',
    });
  }

  private setQuota(fn: LambdaFunction): void {
    fn.addEnvironment('FILE_QUOTA', Stack.of(fn).toJsonString(this.quota));
  }
}

import { Duration, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
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
  private readonly objects: ServiceBucket;
  readonly quota: FileStoreProps['quota'];
  private readonly jobs: JobTable;

  constructor(scope: Construct, id: string, props: FileStoreProps) {
    super(scope, id);
    const { quota, jobs } = props;
    this.jobs = jobs;
    this.quota = quota;
    this.table = new ServiceTable(this, 'table', {
      variable: 'FILES_TABLE',
      ...keyed('key_id', 'entry'),
      globalSecondaryIndexes: [index('due', 'lane', 'due_at')],
    });
    this.objects = new ServiceBucket(this, 'objects', {
      variable: 'FILES_BUCKET',
      holds: 'files',
      rules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    });
  }

  /** Lets a function find what a key has uploaded, and read it. */
  grantReadUploaded(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem');
    this.objects.allow(fn, 'GetObject');
  }

  /** Lets a function find a key's files and uploads, and read results of its jobs, which are files where they are. */
  grantFind(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem');
    this.jobs.grantRead(fn);
  }

  /** Lets a function list a key's files. */
  grantList(fn: LambdaFunction): void {
    this.table.allow(fn, 'Query');
  }

  /** Lets a function find files and read them. */
  grantRead(fn: LambdaFunction): void {
    this.grantReadUploaded(fn);
    this.jobs.grantRead(fn);
  }

  /** Lets a function make files, and erase what it made of one that breaks off. */
  grantCreate(fn: LambdaFunction): void {
    this.grantDelete(fn);
    this.table.allow(fn, 'PutItem');
    this.objects.allow(fn, 'AbortMultipartUpload', 'PutObject');
    this.setQuota(fn);
  }

  /** Lets a function delete files and cancel uploads, with all that was stored for them. */
  grantDelete(fn: LambdaFunction): void {
    this.table.allow(fn, 'DeleteItem', 'GetItem', 'UpdateItem');
    this.objects.allow(fn, 'DeleteObject');
    this.objects.allowList(fn);
  }

  /** Lets a function begin uploads. */
  grantUpload(fn: LambdaFunction): void {
    this.table.allow(fn, 'PutItem', 'UpdateItem');
    this.setQuota(fn);
  }

  /** Lets a function store parts of uploads. */
  grantAddPart(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem', 'PutItem', 'UpdateItem');
    this.objects.allow(fn, 'PutObject');
  }

  /** Lets a function make files of uploads. */
  grantComplete(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem', 'PutItem', 'Query', 'UpdateItem');
    this.objects.allow(fn, 'DeleteObject', 'GetObject', 'PutObject');
  }

  /** Lets a function end what has expired, and erase what has ended. */
  grantSweep(fn: LambdaFunction): void {
    this.grantDelete(fn);
    this.table.allowQuery(fn, 'due');
  }

  private setQuota(fn: LambdaFunction): void {
    fn.addEnvironment('FILE_QUOTA', Stack.of(fn).toJsonString(this.quota));
  }
}

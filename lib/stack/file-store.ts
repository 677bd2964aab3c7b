import { Duration, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Grant } from './base/permissions.ts';
import { ServiceBucket } from './base/service-bucket.ts';
import { index, keyed, ServiceTable } from './base/service-table.ts';
import type { JobTable } from './jobs/job-table.ts';

export interface FileStoreProps {
  /** The most files of a key, and of their bytes. */
  readonly quota: { readonly files: number; readonly bytes: number };
  /** Jobs: their results are files too. */
  readonly jobs: JobTable;
}

interface FileGrant extends Grant {
  readonly items: readonly string[];
  /** Whether it reads results of jobs. */
  readonly ofJobs?: boolean;
  /** Whether it knows how much a key may have. */
  readonly hasQuota?: boolean;
}

const erasing = {
  items: ['DeleteItem', 'GetItem', 'UpdateItem'],
  objects: ['DeleteObject', 'ListBucket'],
};

/** The grants on files and uploads, by what functions do. */
const grants = {
  /** Find what a key has uploaded, and read it. */
  readUploaded: { items: ['GetItem'], objects: ['GetObject'] },
  find: { items: ['GetItem'], ofJobs: true },
  list: { items: ['Query'] },
  read: { items: ['GetItem'], objects: ['GetObject'], ofJobs: true },
  /** Make files, and erase what was made of one that breaks off. */
  create: {
    items: [...erasing.items, 'PutItem'],
    objects: [...erasing.objects, 'AbortMultipartUpload', 'PutObject'],
    hasQuota: true,
  },
  /** Delete files and cancel uploads, with all that was stored for them. */
  delete: erasing,
  beginUpload: { items: ['PutItem', 'UpdateItem'], hasQuota: true },
  addPart: { items: ['GetItem', 'PutItem', 'UpdateItem'], objects: ['PutObject'] },
  /** Make files of uploads. */
  complete: {
    items: ['GetItem', 'PutItem', 'Query', 'UpdateItem'],
    objects: ['DeleteObject', 'GetObject', 'PutObject'],
  },
  /** End what has expired, and erase what has ended. */
  sweep: { items: [...erasing.items, 'Query/due'], objects: erasing.objects },
};

export type FileUse = keyof typeof grants;

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

  /** Lets a function do something with files. Results of jobs are files too, and read where they are. */
  grant(fn: LambdaFunction, use: FileUse): void {
    const { items, objects = [], ofJobs, hasQuota }: FileGrant = grants[use];
    this.table.allow(fn, ...items);
    this.objects.allow(fn, ...objects);
    if (ofJobs) this.jobs.grant(fn, 'read');
    if (hasQuota) fn.addEnvironment('FILE_QUOTA', Stack.of(fn).toJsonString(this.quota));
  }
}

import { Duration } from 'aws-cdk-lib';
import { StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
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
  private readonly objects: ServiceBucket;

  constructor(scope: Construct, id: string, { retentionDays }: JobTableProps) {
    super(scope, id);
    // The id is part of the bucket's logical id: another would make another bucket.
    this.objects = new ServiceBucket(this, 'bodies', {
      variable: 'OBJECTS_BUCKET',
      holds: 'jobs',
      rules: [
        {
          expiration: Duration.days(retentionDays + objectMarginDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        // They are deleted once they are read, unless their function dies.
        { prefix: handOverPrefix, expiration: Duration.days(1), oldVersionDays: 1 },
      ],
    });
    this.table = new ServiceTable(this, 'table', {
      variable: 'JOBS_TABLE',
      variables: {
        OBJECTS_BUCKET: this.objects.bucketName,
        JOB_RETENTION_DAYS: String(retentionDays),
      },
      ...keyed('key_id', 'job_id'),
      globalSecondaryIndexes: [
        index('ready', 'lane', 'turn'),
        index('due', 'lane', 'due_at'),
        index('ended', 'key_id', 'ended'),
      ],
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
  }

  /** Lets a function count a key's jobs. */
  grantCount(fn: LambdaFunction): void {
    this.table.allow(fn, 'Query');
  }

  /** Lets a function list a key's batches. */
  grantListBatches(fn: LambdaFunction): void {
    this.grantCount(fn);
    this.table.allow(fn, 'BatchGetItem');
  }

  /** Lets a function list a key's jobs, without their objects. */
  grantList(fn: LambdaFunction): void {
    this.grantCount(fn);
    this.table.allow(fn, 'BatchGetItem', 'GetItem');
    this.table.allowQuery(fn, 'ended');
  }

  grantRead(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem');
    this.objects.allow(fn, 'GetObject');
  }

  /** Lets a function find which jobs have worked on a file, without their objects. */
  grantFindKnown(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem');
  }

  grantSubmit(fn: LambdaFunction): void {
    this.grantRetry(fn);
    this.objects.allow(fn, 'PutObject');
  }

  /** Lets a function move jobs from one status to another, without their objects. */
  grantTransition(fn: LambdaFunction): void {
    this.table.allow(fn, 'GetItem', 'UpdateItem');
  }

  /** Lets a function make a job of one that has ended, without its objects: give it its turn, and put it. */
  grantRetry(fn: LambdaFunction): void {
    this.grantTransition(fn);
    this.table.allow(fn, 'PutItem');
    this.table.allowQuery(fn, 'ready');
  }

  /** Lets a worker claim jobs, save its progress, and make jobs for them. */
  grantWork(fn: LambdaFunction): void {
    this.grantTransition(fn);
    this.table.allowQuery(fn, 'ready');
    this.grantChildren(fn);
    this.table.allow(fn, 'BatchGetItem', 'PutItem');
  }

  /** Lets a function find a job's children: the jobs that were made for it. */
  grantChildren(fn: LambdaFunction): void {
    this.table.allow(fn, 'Query');
  }

  grantErase(fn: LambdaFunction): void {
    const actions = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];
    this.table.allow(fn, ...actions);
    this.objects.allow(fn, 'DeleteObject', 'GetObject', 'PutObject');
    this.objects.allowList(fn);
  }

  /** Lets a function find the jobs that are due. */
  grantDue(fn: LambdaFunction): void {
    this.table.allowQuery(fn, 'due');
  }

  /** Lets a function read and write jobs' objects. */
  grantObjects(fn: LambdaFunction): void {
    this.objects.allow(fn, 'GetObject', 'PutObject');
  }

  /** Lets a function put objects in several parts, and give such an upload up. */
  grantUpload(fn: LambdaFunction): void {
    this.grantObjects(fn);
    this.objects.allow(fn, 'AbortMultipartUpload');
  }

  /** Lets a function put what another is to read behind a link, which it signs, and delete it afterwards. */
  grantHandOver(fn: LambdaFunction): void {
    this.objects.allowWithin(fn, handOverPrefix, 'DeleteObject', 'GetObject', 'PutObject');
    fn.addEnvironment('HAND_OVER_PREFIX', handOverPrefix);
  }
}

import { Duration } from 'aws-cdk-lib';
import { StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Grant } from '../base/permissions.ts';
import { ServiceBucket } from '../base/service-bucket.ts';
import { index, keyed, ServiceTable } from '../base/service-table.ts';

export interface JobTableProps {
  readonly retentionDays: number;
}

/** How much longer an object is kept than an ended job: it expires by its own age, and a job may wait for days. */
const objectMarginDays = 30;
/** The prefix of objects that one function puts for another to read. A job's objects begin with its key's id. */
const handOverPrefix = 'handed-over/';

const transition = ['GetItem', 'UpdateItem'];
const retry = [...transition, 'PutItem', 'Query/ready'];
const objects = ['GetObject', 'PutObject'];

/** The grants on jobs, by what functions do. Without `objects` a function sees a job's item alone. */
const grants = {
  /** Count a key's jobs, or find those that were made for one. */
  count: { items: ['Query'] },
  listBatches: { items: ['Query', 'BatchGetItem'] },
  list: { items: ['Query', 'BatchGetItem', 'GetItem', 'Query/ended'] },
  /** Find one, or which have worked on a file. */
  find: { items: ['GetItem'] },
  read: { items: ['GetItem'], objects: ['GetObject'] },
  submit: { items: retry, objects: ['PutObject'] },
  /** Move jobs from one status to another. */
  transition: { items: transition },
  /** Make a job of one that has ended: give it its turn, and put it. */
  retry: { items: retry },
  /** Claim jobs, save their progress, and make jobs for them. */
  work: { items: [...retry, 'BatchGetItem', 'Query'] },
  erase: {
    items: [...transition, 'BatchWriteItem', 'DeleteItem', 'PutItem', 'Query'],
    objects: [...objects, 'DeleteObject', 'ListBucket'],
  },
  /** Find the jobs that are due. */
  due: { items: ['Query/due'] },
  /** Read and write jobs' objects. */
  objects: { objects },
  /** Put objects in several parts too, and give such an upload up. */
  upload: { objects: [...objects, 'AbortMultipartUpload'] },
};

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
        // Objects are deleted once they are read, unless their function dies.
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

  /** Lets a function do something with jobs. */
  grant(fn: LambdaFunction, ...uses: (keyof typeof grants)[]): void {
    for (const { items = [], objects = [] } of uses.map((use): Grant => grants[use])) {
      this.table.allow(fn, ...items);
      this.objects.allow(fn, ...objects);
    }
  }

  /** Lets a function put what another is to read behind a link, which it signs, and delete it afterwards. */
  grantHandOver(fn: LambdaFunction): void {
    this.objects.allowWithin(fn, handOverPrefix, 'DeleteObject', 'GetObject', 'PutObject');
    fn.addEnvironment('HAND_OVER_PREFIX', handOverPrefix);
  }
}

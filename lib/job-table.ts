import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

export interface JobTableProps {
  readonly retentionDays: number;
  readonly removalPolicy: RemovalPolicy;
}

/** Days an object outlives its job's record, so that a job which waited long keeps its body. */
const bodyMarginDays = 30;

/** The truth about jobs: the table, its two sparse indexes, and the bucket for large bodies. */
export class JobTable extends Construct {
  private readonly table: TableV2;
  private readonly bodies: Bucket;
  private readonly retentionDays: number;

  constructor(scope: Construct, id: string, { retentionDays, removalPolicy }: JobTableProps) {
    super(scope, id);
    this.retentionDays = retentionDays;
    const lane = { name: 'lane', type: AttributeType.STRING };
    this.table = new TableV2(this, 'table', {
      partitionKey: { name: 'key_id', type: AttributeType.STRING },
      sortKey: { name: 'job_id', type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          indexName: 'ready',
          partitionKey: lane,
          sortKey: { name: 'turn', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
        {
          indexName: 'due',
          partitionKey: lane,
          sortKey: { name: 'due_at', type: AttributeType.STRING },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'expires_at',
      removalPolicy,
    });
    this.bodies = new Bucket(this, 'bodies', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        {
          expiration: Duration.days(retentionDays + bodyMarginDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy,
    });
  }

  /** The table as the source of a stream; the cast is for `exactOptionalPropertyTypes`. */
  get stream(): ITable {
    return this.table as ITable;
  }

  /** Lets a function list a key's jobs, without their bodies. */
  grantList(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:Query');
    this.tell(fn);
  }

  /** Lets a function read a job with its bodies. */
  grantRead(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:GetItem');
    this.grantObjects(fn, 's3:GetObject');
    this.tell(fn);
  }

  /** Lets a function submit jobs. */
  grantSubmit(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:GetItem', 'dynamodb:PutItem');
    this.grantObjects(fn, 's3:PutObject');
    this.tell(fn);
  }

  /** Lets a function move jobs from one status to another, without their bodies. */
  grantTransition(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:GetItem', 'dynamodb:UpdateItem');
    this.tell(fn);
  }

  /** Lets a worker claim jobs, write down what it does of them, and make jobs for them. */
  grantWork(fn: LambdaFunction): void {
    this.grantTransition(fn);
    this.grantFind(fn);
    this.grantChildren(fn);
    this.table.grant(fn, 'dynamodb:PutItem');
  }

  /** Lets a function find what was made for a job. */
  grantChildren(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:Query');
  }

  /** Lets a function find jobs in the indexes. */
  grantFind(fn: LambdaFunction): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['dynamodb:Query'],
        resources: [`${this.table.tableArn}/index/*`],
      }),
    );
  }

  /** Lets a function read and write jobs' bodies. */
  grantBodies(fn: LambdaFunction): void {
    this.grantObjects(fn, 's3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject');
  }

  private grantObjects(fn: LambdaFunction, ...actions: string[]): void {
    const resources = [this.bodies.arnForObjects('*')];
    fn.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }

  private tell(fn: LambdaFunction): void {
    fn.addEnvironment('JOBS_TABLE', this.table.tableName);
    fn.addEnvironment('OBJECTS_BUCKET', this.bodies.bucketName);
    fn.addEnvironment('JOB_RETENTION_DAYS', String(this.retentionDays));
  }
}

import type { RemovalPolicy } from 'aws-cdk-lib';
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
import { Construct } from 'constructs';

export interface LedgerProps {
  readonly removalPolicy: RemovalPolicy;
}

/** What keys may spend and have spent: an account a key, a charge a model call. */
export class Ledger extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy }: LedgerProps) {
    super(scope, id);
    this.table = new TableV2(this, 'table', {
      partitionKey: { name: 'key_id', type: AttributeType.STRING },
      sortKey: { name: 'entry', type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          indexName: 'audits',
          partitionKey: { name: 'audit_lane', type: AttributeType.STRING },
          sortKey: { name: 'audit_at', type: AttributeType.STRING },
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
  }

  /** The table as the source of a stream; the cast is for `exactOptionalPropertyTypes`. */
  get stream(): ITable {
    return this.table as ITable;
  }

  /** Lets a function hold money and settle it. */
  grantSpend(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    this.tell(fn);
  }

  /** Lets a function read accounts. */
  grantRead(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:GetItem');
    this.tell(fn);
  }

  /** Lets a function mark charges that have ended. */
  grantMark(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:UpdateItem');
    this.tell(fn);
  }

  /** Lets a function put accounts right by their charges. */
  grantAudit(fn: LambdaFunction): void {
    this.table.grant(fn, 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem');
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['dynamodb:Query'],
        resources: [`${this.table.tableArn}/index/audits`],
      }),
    );
    this.tell(fn);
  }

  private tell(fn: LambdaFunction): void {
    fn.addEnvironment('LEDGER_TABLE', this.table.tableName);
  }
}

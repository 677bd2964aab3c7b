import type { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, StreamViewType } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceTable } from './service-table.ts';

export interface LedgerProps {
  readonly removalPolicy: RemovalPolicy;
}

/** What keys may spend and have spent: an account for each key, a charge for each model call. */
export class Ledger extends Construct {
  readonly table: ServiceTable;

  constructor(scope: Construct, id: string, { removalPolicy }: LedgerProps) {
    super(scope, id);
    this.table = new ServiceTable(this, 'table', {
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
      removalPolicy,
    });
  }

  /** Lets a function hold money and settle it. */
  grantSpend(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:PutItem', 'dynamodb:UpdateItem');
    this.setEnvironment(fn);
  }

  /** Lets a function read accounts. */
  grantRead(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:GetItem');
    this.setEnvironment(fn);
  }

  /** Lets a function mark ended charges as counted. */
  grantMark(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:UpdateItem');
    this.setEnvironment(fn);
  }

  /** Lets a function compare accounts with their charges, and correct them. */
  grantAudit(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem');
    this.table.allowQuery(fn, 'audits');
    this.setEnvironment(fn);
  }

  /** Lets a function begin the hour of every key's images. */
  grantReset(fn: LambdaFunction): void {
    this.table.allow(fn, 'dynamodb:UpdateItem');
    this.table.allowQuery(fn, 'audits');
    this.setEnvironment(fn);
  }

  private setEnvironment(fn: LambdaFunction): void {
    fn.addEnvironment('LEDGER_TABLE', this.table.tableName);
  }
}

import {
  Billing,
  type CfnGlobalTable,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

export interface ServiceTableProps extends TablePropsV2 {
  /** Whether it can be restored as it was at any moment of the last 35 days; true by default. */
  readonly restorable?: boolean;
}

/**
 * A table with shared defaults: on demand, free encryption, recovery unless it says no, and `expires_at` in seconds
 * since 1970.
 */
export class ServiceTable extends TableV2 {
  constructor(scope: Construct, id: string, { restorable = true, ...props }: ServiceTableProps) {
    super(scope, id, {
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: restorable },
      timeToLiveAttribute: 'expires_at',
      ...props,
    });
  }

  /** Lets a function act on the table's items, but not on its indexes, as `grant` would: they hold every key's. */
  allow(fn: LambdaFunction, ...actions: string[]): void {
    fn.addToRolePolicy(new PolicyStatement({ actions, resources: [this.tableArn] }));
  }

  allowQuery(fn: LambdaFunction, index: string): void {
    const resources = [`${this.tableArn}/index/${index}`];
    fn.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources }));
  }
}

/** Has all tables refuse to be deleted, until a deploy takes it back. */
export function protectTables(scope: Construct): void {
  for (const child of scope.node.findAll()) {
    if (!(child instanceof ServiceTable)) continue;
    const table = child.node.defaultChild as CfnGlobalTable;
    table.addPropertyOverride('Replicas.0.DeletionProtectionEnabled', true);
  }
}

import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { conventionsOf } from './conventions.ts';
import { allow } from './permissions.ts';

export interface ServiceTableProps extends dynamodb.TablePropsV2 {
  /** The variable that tells functions its name. */
  readonly variable: string;
  /** Variables that functions of this table also have. */
  readonly variables?: Record<string, string>;
  /** Whether it can be restored as it was at any moment of the last 35 days; true by default. */
  readonly restorable?: boolean;
}

const named = (name: string) => ({ name, type: dynamodb.AttributeType.STRING });

/** The attributes of an item's key, which are texts: the partition key, and the sort key if there is one. */
export const keyed = (partition: string, sort?: string) => ({
  partitionKey: named(partition),
  ...(sort !== undefined && { sortKey: named(sort) }),
});

/** An index, which has an item's keys alone, or more of it. */
export const index = (
  indexName: string,
  partition: string,
  sort: string,
  holds: 'keys' | 'all' | string[] = 'keys',
): dynamodb.GlobalSecondaryIndexPropsV2 => ({
  indexName,
  ...keyed(partition, sort),
  ...(Array.isArray(holds)
    ? { projectionType: dynamodb.ProjectionType.INCLUDE, nonKeyAttributes: holds }
    : {
        projectionType:
          holds === 'all' ? dynamodb.ProjectionType.ALL : dynamodb.ProjectionType.KEYS_ONLY,
      }),
});

/**
 * A table with shared defaults: on demand, free encryption, recovery unless it says no, and `expires_at` in seconds
 * since 1970.
 */
export class ServiceTable extends dynamodb.TableV2 {
  private readonly variables: Record<string, string>;

  constructor(scope: Construct, id: string, given: ServiceTableProps) {
    const { variable, variables, restorable = true, ...props } = given;
    super(scope, id, {
      billing: dynamodb.Billing.onDemand(),
      encryption: dynamodb.TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: restorable },
      timeToLiveAttribute: 'expires_at',
      removalPolicy: conventionsOf(scope).removalPolicy,
      ...props,
    });
    this.variables = { [variable]: this.tableName, ...variables };
  }

  /**
   * Lets a function act on the table's items by actions such as `GetItem`. `Query/due` lets it query the index `due` alone:
   * `grant` would give all indexes along, and these hold the items of every key.
   */
  allow(fn: LambdaFunction, ...actions: string[]): void {
    if (actions.length === 0) return;
    for (const [name, value] of Object.entries(this.variables)) fn.addEnvironment(name, value);
    for (const [of, named] of Map.groupBy(actions, (action) => action.split('/')[1])) {
      const onDynamoDb = named.map((action) => `dynamodb:${action.split('/')[0]}`);
      allow(fn, onDynamoDb, of ? `${this.tableArn}/index/${of}` : this.tableArn);
    }
  }
}

/** Has all tables refuse to be deleted, until a deploy takes it back. */
export function protectTables(scope: Construct): void {
  for (const child of scope.node.findAll()) {
    if (!(child instanceof ServiceTable)) continue;
    const table = child.node.defaultChild as dynamodb.CfnGlobalTable;
    table.addPropertyOverride('Replicas.0.DeletionProtectionEnabled', true);
  }
}

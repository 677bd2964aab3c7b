import type { RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** The conventions of all constructs of a stack. */
export interface Conventions {
  /** What becomes of tables, buckets and secrets with the stack. */
  readonly removalPolicy: RemovalPolicy;
  /** Whether buckets keep what is overwritten or deleted in them for a while. */
  readonly versioned: boolean;
  /** What keeps the keys of providers. */
  readonly secretStore: 'secrets-manager' | 'parameters';
  readonly logs: { readonly retention: RetentionDays; readonly removalPolicy: RemovalPolicy };
  /** Whether X-Ray traces are sent. */
  readonly tracing: boolean;
}

const key = 'conventions';

/** Sets the conventions of a stack, before anything is added to it. */
export const setConventions = (stack: Construct, conventions: Conventions) =>
  stack.node.setContext(key, conventions);

/** Returns what the stack of a construct keeps to. */
export const conventionsOf = (scope: Construct): Conventions => scope.node.getContext(key);

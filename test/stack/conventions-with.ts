import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Conventions } from '../../lib/stack/base/conventions.ts';

/** Conventions for a construct that is tried alone. */
export const conventionsWith = (some: Partial<Conventions> = {}): Conventions => ({
  removalPolicy: RemovalPolicy.DESTROY,
  versioned: false,
  secretStore: 'secrets-manager',
  logs: { retention: RetentionDays.ONE_DAY, removalPolicy: RemovalPolicy.DESTROY },
  tracing: false,
  ...some,
});

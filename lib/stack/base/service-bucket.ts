import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { conventionsOf } from './conventions.ts';

/** How long an object is kept that was overwritten or deleted: as long as the tables can be restored that name it. */
const usualOldVersionDays = 35;

interface BucketRule extends LifecycleRule {
  readonly oldVersionDays?: number;
}

/** A bucket that nobody reads but functions of this stack, and whom they sign a link for. */
export class ServiceBucket extends Bucket {
  constructor(scope: Construct, id: string, rules: BucketRule[]) {
    const { removalPolicy, versioned } = conventionsOf(scope);
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      ...(versioned && { versioned }),
      lifecycleRules: rules.map(({ oldVersionDays = usualOldVersionDays, ...rule }) => ({
        ...(versioned && { noncurrentVersionExpiration: Duration.days(oldVersionDays) }),
        ...rule,
      })),
      removalPolicy,
      // CloudFormation deletes no bucket that holds anything.
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Functions of this stack alone read it, and links that they sign; the gateway logs who asked.',
    });
  }
}

import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { conventionsOf } from './conventions.ts';
import { acknowledge, allow } from './permissions.ts';

/** How long an object is kept that was overwritten or deleted: as long as the tables can be restored that name it. */
const usualOldVersionDays = 35;

interface BucketRule extends s3.LifecycleRule {
  readonly oldVersionDays?: number;
}

export interface ServiceBucketProps {
  /** The variable that tells functions its name. */
  readonly variable: string;
  /** The objects that it holds, for the description of a grant. */
  readonly holds: string;
  readonly rules: readonly BucketRule[];
}

/** A bucket that is read by functions of this stack, and by links that they sign, alone. */
export class ServiceBucket extends s3.Bucket {
  private readonly props: ServiceBucketProps;

  constructor(scope: Construct, id: string, props: ServiceBucketProps) {
    const { removalPolicy, versioned } = conventionsOf(scope);
    super(scope, id, {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      encryption: s3.BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      ...(versioned && { versioned }),
      lifecycleRules: props.rules.map(({ oldVersionDays = usualOldVersionDays, ...rule }) => ({
        ...(versioned && { noncurrentVersionExpiration: Duration.days(oldVersionDays) }),
        ...rule,
      })),
      removalPolicy,
      // CloudFormation deletes no bucket that holds anything.
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    this.props = props;
    acknowledge(this, {
      S1: 'Functions of this stack alone read it, and links that they sign; the gateway logs who asked.',
    });
  }

  /** Lets a function act on objects, or list them, and tells it the bucket in its variable. */
  allow(fn: LambdaFunction, ...actions: string[]): void {
    const onObjects = actions.filter((action) => action !== 'ListBucket');
    if (onObjects.length > 0) this.allowWithin(fn, '', ...onObjects);
    if (onObjects.length < actions.length) allow(fn, ['s3:ListBucket'], this.bucketArn);
  }

  /** Lets a function act on the objects under a prefix. */
  allowWithin(fn: LambdaFunction, prefix: string, ...actions: string[]): void {
    const { variable, holds } = this.props;
    const named = actions.map((action) => `s3:${action}`);
    allow(fn, named, this.arnForObjects(`${prefix}*`));
    const bucketId = Stack.of(this).getLogicalId(this.node.defaultChild as s3.CfnBucket);
    const reason = `One role serves the ${holds} of all keys, whose objects are in this bucket.`;
    acknowledge(fn, { [`IAM5[Resource::<${bucketId}.Arn>/${prefix}*]`]: reason });
    fn.addEnvironment(variable, this.bucketName);
  }
}

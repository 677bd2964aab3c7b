import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';

/** A secret of this service, which the operator fills in. */
export class ServiceSecret extends Secret {
  /** Lets a function read the secret's value, and not what describes it, as `grantRead` would. */
  allowValue(fn: LambdaFunction): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [this.secretArn],
      }),
    );
  }
}

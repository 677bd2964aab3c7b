import { CfnOutput, type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

export interface ServiceSecretProps {
  /** What the operator puts into it. */
  readonly holds: string;
  readonly removalPolicy: RemovalPolicy;
}

/**
 * A secret of this service, which the operator fills in. CloudFormation names it, as a name of our own would be
 * taken when a stack is made again beside the secret that the last one has left. An output says what it is called.
 */
export class ServiceSecret extends Secret {
  constructor(scope: Construct, name: string, { holds, removalPolicy }: ServiceSecretProps) {
    const description = `${holds}: a random placeholder until you put yours`;
    super(scope, name, { description, removalPolicy });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason: 'Another company makes the value: only its operator can rotate it.',
    });
    const output = new CfnOutput(this, 'name', { value: this.secretArn });
    output.overrideLogicalId(`${pascalCase(name)}Secret`);
  }

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

/** `google-drive` becomes `GoogleDrive`. */
const pascalCase = (name: string) =>
  name.replace(/(?:^|[^a-z0-9])([a-z0-9])/gi, (_, first: string) => first.toUpperCase());

import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { conventionsOf } from './conventions.ts';
import { acknowledge, allow } from './permissions.ts';

/** A secret of this service, which the operator fills in. An output says what it is called. */
export interface ServiceSecret {
  readonly secretArn: string;
  /** Lets a function read the secret's value, and not what describes it, as `grantRead` would. */
  allowValue(fn: LambdaFunction): void;
}

/** Makes a secret in the store that the operator has chosen, and says what they put into it. */
export function serviceSecret(scope: Construct, name: string, holds: string): ServiceSecret {
  return conventionsOf(scope).secretStore === 'parameters'
    ? new SecretParameter(scope, name)
    : new ManagedSecret(scope, name, holds);
}

/** A secret of Secrets Manager, named by CloudFormation: an own name may be taken by a former stack's. */
class ManagedSecret extends Secret implements ServiceSecret {
  constructor(scope: Construct, name: string, holds: string) {
    const { removalPolicy } = conventionsOf(scope);
    const description = `${holds}: a random placeholder until you put yours`;
    super(scope, name, { description, removalPolicy });
    acknowledge(this, {
      SMG4: 'Another company makes the value: only its operator can rotate it.',
    });
    announce(this, name, this.secretArn);
  }

  allowValue(fn: LambdaFunction): void {
    allow(fn, ['secretsmanager:GetSecretValue'], this.secretArn);
  }
}

/**
 * A SecureString of Parameter Store, which is free. The operator makes it, as CloudFormation can't. The key `aws/ssm`
 * encrypts it, which lets its readers decrypt it.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/services-parameter-store.html
 */
class SecretParameter extends Construct implements ServiceSecret {
  readonly secretArn: string;

  constructor(scope: Construct, name: string) {
    super(scope, name);
    const stack = Stack.of(this);
    const resourceName = `${stack.stackName}/${name}`;
    this.secretArn = stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName });
    announce(this, name, this.secretArn);
  }

  allowValue(fn: LambdaFunction): void {
    allow(fn, ['ssm:GetParameter'], this.secretArn);
  }
}

function announce(secret: Construct, name: string, value: string): void {
  new CfnOutput(secret, 'name', { value }).overrideLogicalId(`${pascalCase(name)}Secret`);
}

/** `google-drive` becomes `GoogleDrive`. */
const pascalCase = (name: string) =>
  name.replace(/(?:^|[^a-z0-9])([a-z0-9])/gi, (_, first: string) => first.toUpperCase());

import type { RemovalPolicy } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type SecretStore, type ServiceSecret, serviceSecret } from './base/service-secret.ts';

export interface DriveAccountProps {
  readonly removalPolicy: RemovalPolicy;
  readonly secretStore: SecretStore;
}

/** The secret of the service account that reads and writes the drive; the operator fills it in. */
export class DriveAccount extends Construct {
  private readonly secret: ServiceSecret;

  constructor(
    scope: Construct,
    id: string,
    { removalPolicy, secretStore: store }: DriveAccountProps,
  ) {
    super(scope, id);
    this.secret = serviceSecret(this, 'google-drive', {
      holds: 'JSON key of the Google service account for Drive',
      removalPolicy,
      store,
    });
  }

  /** Lets a function read the service account's key. */
  grantUse(fn: LambdaFunction): void {
    this.secret.allowValue(fn);
    fn.addEnvironment('DRIVE_SECRET', this.secret.secretArn);
  }
}

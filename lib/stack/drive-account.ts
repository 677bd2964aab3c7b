import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type ServiceSecret, serviceSecret } from './base/service-secret.ts';

/** The secret of the service account that reads and writes the drive; the operator fills it in. */
export class DriveAccount extends Construct {
  private readonly secret: ServiceSecret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const holds = 'JSON key of the Google service account for Drive';
    this.secret = serviceSecret(this, 'google-drive', holds);
  }

  /** Lets a function read the service account's key. */
  grantUse(fn: LambdaFunction): void {
    this.secret.allowValue(fn);
    fn.addEnvironment('DRIVE_SECRET', this.secret.secretArn);
  }
}

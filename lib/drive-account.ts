import type { RemovalPolicy } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

export interface DriveAccountProps {
  readonly secretPrefix: string;
  readonly removalPolicy: RemovalPolicy;
}

/** The secret of the service account that reads and writes the drive; the operator fills it in. */
export class DriveAccount extends Construct {
  private readonly secret: Secret;

  constructor(scope: Construct, id: string, { secretPrefix, removalPolicy }: DriveAccountProps) {
    super(scope, id);
    this.secret = new Secret(this, 'google-drive', {
      secretName: `${secretPrefix}/google-drive`,
      description:
        'JSON key of the Google service account for Drive: a random placeholder until you put yours',
      removalPolicy,
    });
  }

  get secretArn(): string {
    return this.secret.secretArn;
  }

  /** Lets a function read the service account's key. */
  grantUse(fn: LambdaFunction): void {
    this.secret.grantRead(fn);
    fn.addEnvironment('DRIVE_SECRET', this.secret.secretArn);
  }
}

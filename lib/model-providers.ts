import { type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Catalogue } from '../shared/models/catalogue.ts';
import { type SecretStore, type ServiceSecret, serviceSecret } from './service-secret.ts';

export interface ModelProvidersProps {
  readonly catalogue: Catalogue;
  readonly removalPolicy: RemovalPolicy;
  readonly secretStore: SecretStore;
}

/** The secrets of the model providers that the catalogue names; the operator fills them in. */
export class ModelProviders extends Construct {
  private readonly secrets = new Map<string, ServiceSecret>();

  constructor(scope: Construct, id: string, props: ModelProvidersProps) {
    super(scope, id);
    const { catalogue, removalPolicy, secretStore: store } = props;
    for (const { secret: name } of Object.values(catalogue.upstreams)) {
      if (this.secrets.has(name)) continue;
      const secret = serviceSecret(this, name, {
        holds: `API key for the model provider ${name}`,
        removalPolicy,
        store,
      });
      this.secrets.set(name, secret);
    }
  }

  /** Lets a function call the models' providers. */
  grantCall(fn: LambdaFunction): void {
    for (const secret of this.secrets.values()) secret.allowValue(fn);
    fn.addEnvironment(
      'PROVIDER_SECRETS',
      Stack.of(this).toJsonString(
        Object.fromEntries([...this.secrets].map(([name, { secretArn }]) => [name, secretArn])),
      ),
    );
  }
}

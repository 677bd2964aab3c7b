import { Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Catalogue } from '../../shared/models/catalogue.ts';
import { acknowledge, allow } from './base/permissions.ts';
import { type ServiceSecret, serviceSecret } from './base/service-secret.ts';

/** The secrets of the catalogue's model providers, which the operator fills in, and Bedrock's permissions. */
export class ModelProviders extends Construct {
  private readonly catalogue: Catalogue;
  private readonly secrets = new Map<string, ServiceSecret>();

  constructor(scope: Construct, id: string, { catalogue }: { readonly catalogue: Catalogue }) {
    super(scope, id);
    this.catalogue = catalogue;
    for (const { secret: name } of Object.values(catalogue.upstreams)) {
      if (!name || this.secrets.has(name)) continue;
      const secret = serviceSecret(this, name, `API key for the model provider ${name}`);
      this.secrets.set(name, secret);
    }
  }

  /** Lets a function call the models' providers. */
  grantCall(fn: LambdaFunction): void {
    for (const secret of this.secrets.values()) secret.allowValue(fn);
    this.grantBedrock(fn);
    const arns = [...this.secrets].map(([name, { secretArn }]) => [name, secretArn]);
    const json = Stack.of(this).toJsonString(Object.fromEntries(arns));
    fn.addEnvironment('PROVIDER_SECRETS', json);
  }

  /** Lets a function ask those models of Bedrock that the catalogue has, if there are any. */
  private grantBedrock(fn: LambdaFunction): void {
    const { models, upstreams } = this.catalogue;
    const resources = models
      .flatMap((model) => model.upstreams)
      .flatMap(({ upstream, model }) => {
        const region = upstreams[upstream]?.awsRegion;
        return region ? bedrockArns(Stack.of(this), region, model) : [];
      });
    if (resources.length === 0) return;
    const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];
    allow(fn, actions, ...new Set(resources));
    for (const arn of resources.filter((each) => each.includes(':*:'))) {
      const resource = arn.replace(/\$\{Token\[AWS\.Partition\.\d+\]\}/, '<AWS::Partition>');
      acknowledge(fn, {
        [`IAM5[Resource::${resource}]`]:
          'An inference profile asks the model in whichever of its regions has room.',
      });
    }
  }
}

/**
 * Returns what must be granted to ask a model. An inference profile, as `us.…`, also needs its model in each region.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
 */
function bedrockArns(stack: Stack, region: string, model: string): string[] {
  const [, profiled] = model.match(/^(?:us|us-gov|eu|apac|au|jp|ca|global)\.(.+)$/) ?? [];
  const modelArn = (of: string, resourceName: string) =>
    stack.formatArn({
      service: 'bedrock',
      region: of,
      account: '',
      resource: 'foundation-model',
      resourceName,
    });
  if (!profiled) return [modelArn(region, model)];
  const profile = {
    service: 'bedrock',
    region,
    resource: 'inference-profile',
    resourceName: model,
  };
  return [stack.formatArn(profile), modelArn('*', profiled)];
}

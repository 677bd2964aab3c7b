import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Catalogue } from '../../shared/models/catalogue.ts';
import { type ServiceSecret, serviceSecret } from './base/service-secret.ts';

export interface ModelProvidersProps {
  readonly catalogue: Catalogue;
}

/** The secrets of the catalogue's model providers, which the operator fills in, and Bedrock's permissions. */
export class ModelProviders extends Construct {
  private readonly catalogue: Catalogue;
  private readonly secrets = new Map<string, ServiceSecret>();

  constructor(scope: Construct, id: string, props: ModelProvidersProps) {
    super(scope, id);
    this.catalogue = props.catalogue;
    const { catalogue } = props;
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
    fn.addEnvironment(
      'PROVIDER_SECRETS',
      Stack.of(this).toJsonString(
        Object.fromEntries([...this.secrets].map(([name, { secretArn }]) => [name, secretArn])),
      ),
    );
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
    fn.addToRolePolicy(new PolicyStatement({ actions, resources: [...new Set(resources)] }));
    for (const arn of resources.filter((each) => each.includes(':*:'))) {
      const resource = arn.replace(/\$\{Token\[AWS\.Partition\.\d+\]\}/, '<AWS::Partition>');
      Validations.of(fn).acknowledge({
        id: `AwsSolutions::AwsSolutions-IAM5[Resource::${resource}]`,
        reason: 'An inference profile asks the model in whichever of its regions has room.',
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

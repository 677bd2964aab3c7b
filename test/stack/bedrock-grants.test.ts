import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, it } from 'vitest';
import { setConventions } from '../../lib/stack/base/conventions.ts';
import { ModelProviders } from '../../lib/stack/model-providers.ts';
import { catalogue } from '../../shared/models/catalogue.ts';
import { all } from '../support/run/stack-template.ts';
import { conventionsWith } from './conventions-with.ts';

const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];

it('a function that calls models may ask those of Bedrock that the catalogue has, and no other', () => {
  const stack = new Stack(new App(), 'test', { env: { region: 'us-east-1', account: '1' } });
  setConventions(stack, conventionsWith());
  const [model] = catalogue.models;
  const [upstream] = Object.values(catalogue.upstreams);
  if (!model || !upstream) throw new Error('the catalogue is empty');
  const { secret: _, ...rest } = upstream;
  const ids = ['openai.gpt-oss-20b-1:0', 'eu.anthropic.claude-sonnet-4'];
  const upstreams = ids.map((id) => ({ upstream: 'bedrock', model: id }));
  const providers = new ModelProviders(stack, 'providers', {
    catalogue: {
      ...catalogue,
      models: [{ ...model, upstreams }],
      upstreams: { bedrock: { ...rest, awsRegion: 'eu-west-1' } },
    },
  });
  const fn = new LambdaFunction(stack, 'fn', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('//'),
  });

  providers.grantCall(fn);

  const template = Template.fromStack(stack);
  template.resourceCountIs('AWS::SecretsManager::Secret', 0);
  const [policy] = Object.values(template.findResources('AWS::IAM::Policy'));
  expect(JSON.parse(JSON.stringify(policy?.['Properties'].PolicyDocument.Statement))).toEqual([
    {
      Effect: 'Allow',
      Action: actions,
      Resource: [
        'bedrock:eu-west-1::foundation-model/openai.gpt-oss-20b-1:0',
        'bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-sonnet-4',
        'bedrock:*::foundation-model/anthropic.claude-sonnet-4',
      ].map((arn) => ({ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:${arn}`]] })),
    },
  ]);
});

it('nothing of Bedrock is granted where the catalogue has none', () => {
  expect(JSON.stringify(all('AWS::IAM::Role'))).not.toContain('bedrock:');
});

import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { expect, it } from 'vitest';
import { WebAcl } from '../../lib/stack/gateway/web-acl.ts';
import { gatewayErrors } from '../../shared/http/gateway-errors.ts';
import { all } from '../support/run/stack-template.ts';

it('a web ACL refuses addresses of bad repute, and tells those that send too much when to go on', {
  tags: 'exhaustive',
}, () => {
  const stack = new Stack(new App(), 'test');
  const api = new RestApi(stack, 'api');
  api.root.addMethod('GET');
  const { deploymentStage: stage } = api;
  const { throttled } = gatewayErrors;

  new WebAcl(stack, 'acl', { stage, requestsPerMinute: 2_000, throttled });

  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::WAFv2::WebACL', {
    Scope: 'REGIONAL',
    DefaultAction: { Allow: {} },
    Rules: [
      {
        Statement: {
          ManagedRuleGroupStatement: {
            VendorName: 'AWS',
            Name: 'AWSManagedRulesAmazonIpReputationList',
          },
        },
        OverrideAction: { None: {} },
        VisibilityConfig: { SampledRequestsEnabled: false },
      },
      {
        Statement: {
          RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 60, Limit: 2_000 },
        },
        Action: {
          Block: {
            CustomResponse: {
              ResponseCode: 429,
              CustomResponseBodyKey: 'throttled',
              ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
            },
          },
        },
        VisibilityConfig: { SampledRequestsEnabled: false },
      },
    ],
    CustomResponseBodies: {
      throttled: { ContentType: 'APPLICATION_JSON', Content: JSON.stringify(throttled.body) },
    },
  });
  const stageId = stack.getLogicalId(stage.node.defaultChild as never);
  template.hasResourceProperties('AWS::WAFv2::WebACLAssociation', {
    ResourceArn: { 'Fn::Join': ['', Match.arrayWith([{ Ref: stageId }])] },
  });
});

it('there is none unless the operator wants it', () => {
  expect(all('AWS::WAFv2::WebACL')).toEqual([]);
});

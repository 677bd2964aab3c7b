import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { expect, it } from 'vitest';
import { ServiceAlarms, type ServiceAlarmsProps } from '../../lib/service-alarms.ts';
import { all, only } from '../support/run/stack-template.ts';

const text = { notices: 'Calls fail now and then', todo: 'look at the logs', runbook: 'Faults' };

/** The alarms and topics of a stack that is asked for an essential alarm and another. */
function made(kind: ServiceAlarmsProps['kind']) {
  const stack = new Stack(new App(), 'test');
  const alarms = new ServiceAlarms(stack, 'alarms', { kind, email: undefined });
  const metric = new Metric({ namespace: 'Quire', metricName: 'Faults' });
  alarms.on(metric, 'first', { threshold: 1 }, { ...text, essential: true });
  alarms.on(metric, 'second', { threshold: 1 }, text);
  const template = Template.fromStack(stack);
  const count = (type: string) => Object.keys(template.findResources(type)).length;
  return { alarms: count('AWS::CloudWatch::Alarm'), topics: count('AWS::SNS::Topic') };
}

it.each([
  ['essential', { alarms: 1, topics: 1 }],
  ['all', { alarms: 2, topics: 1 }],
  ['none', { alarms: 0, topics: 0 }],
] as const)('with %s alarms a stack has %o', (kind, expected) => {
  expect(made(kind)).toEqual(expected);
});

it('the tests see all alarms, more than an account has for nothing', () => {
  expect(all('AWS::CloudWatch::Alarm').length).toBeGreaterThan(10);
});

it('the topic lets the alarms of its account publish, and nobody without TLS', () => {
  const { PolicyDocument } = only('AWS::SNS::TopicPolicy');

  expect(PolicyDocument.Statement).toMatchObject([
    { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    {
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
});

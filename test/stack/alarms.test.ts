import { App, Stack } from 'aws-cdk-lib';
import { CfnAlarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { ServiceAlarms, type ServiceAlarmsProps } from '../../lib/stack/alarms/service-alarms.ts';
import { ServiceStack } from '../../lib/stack/service-stack.ts';
import { readSettings } from '../../lib/stack/settings/settings.ts';
import { gatewayErrors } from '../../shared/http/gateway-errors.ts';
import { catalogue } from '../../shared/models/catalogue.ts';
import { all, only, type Properties } from '../support/run/stack-template.ts';
import { useFolder } from '../support/run/use-folder.ts';

const text = { notices: 'Calls fail now and then', todo: 'look at the logs', runbook: 'Faults' };

/** The alarms and topics of a stack that is asked for an essential alarm and another. */
function made(kind: ServiceAlarmsProps['kind']) {
  const stack = new Stack(new App(), 'test');
  const alarms = new ServiceAlarms(stack, { kind, email: undefined });
  const metric = new Metric({ namespace: 'Quire', metricName: 'Faults' });
  alarms.on(metric, 'first', 1, { ...text, essential: true });
  alarms.on(metric, 'second', 1, text);
  const count = (type: typeof CfnAlarm | typeof CfnTopic) =>
    stack.node.findAll().filter((each) => each instanceof type).length;
  return { alarms: count(CfnAlarm), topics: count(CfnTopic) };
}

it.each([
  ['essential', { alarms: 1, topics: 1 }],
  ['all', { alarms: 2, topics: 1 }],
  ['none', { alarms: 0, topics: 0 }],
] as const)('with %s alarms a stack has %o', { tags: 'exhaustive' }, (kind, expected) => {
  expect(made(kind)).toEqual(expected);
});

it('the tests see all alarms, more than an account has for nothing', () => {
  expect(all('AWS::CloudWatch::Alarm').length).toBeGreaterThan(10);
});

it('those that every deployment has are on money, on what callers notice, and on what nobody else would tell', () => {
  const app = new App({ context: { unbundled: true }, outdir: useFolder() });
  const settings = readSettings(app.node);
  const stack = new ServiceStack(app, 'test', { settings, catalogue, gatewayErrors });

  const made = stack.node
    .findAll()
    .filter((each) => each instanceof CfnAlarm)
    .map(({ node }) => node.path.replace(/^test\/alarms\/nested\/|\/Resource$/g, ''));

  expect(made.sort()).toEqual([
    'concurrency',
    'documents-run-ocr-job-errors',
    'gateway-5xx',
    'holds-swept',
    'keys-authorize-request-errors',
    'lanes-chat-dead-letters-messages',
    'lanes-folder-dead-letters-messages',
    'lanes-ocr-dead-letters-messages',
    'ledger-late-calls-dead-letters-messages',
    'ledger-throttled',
    'oldest-ready',
    'output-beyond-limit',
    'provider-down',
    'runners-dispatch-jobs-lateness',
    'runners-run-chat-job-errors',
    'runners-sweep-errors',
    'runners-sweep-silence',
    'throttles',
    'unbelievable-usage',
    'unsettled-calls',
    'usage-charges-missed-batches-messages',
  ]);
});

describe('an alarm on the share of faults', () => {
  const [, gateway] = all('AWS::CloudWatch::Alarm').find(([id]) => id.includes('gateway5xx')) ?? [];
  const { Metrics, Threshold } = gateway;

  it.each([
    ['is silent without a request', {}, false],
    ['is silent at four of four', { '5XXError': 4, Count: 4 }, false],
    ['rings at five of five hundred', { '5XXError': 5, Count: 500 }, true],
    ['is silent at five of 501', { '5XXError': 5, Count: 501 }, false],
    ['is silent at a provider’s', { '5XXError': 50, Count: 60, ProviderFaults: 50 }, false],
    ['rings at five beside a provider’s', { '5XXError': 55, Count: 60, ProviderFaults: 50 }, true],
  ])('%s', (_, figures, rings) => {
    expect(reckoned(Metrics, figures) >= Threshold).toBe(rings);
  });
});

/** What CloudWatch makes of metric math; a metric without data has no value, nor what is reckoned with it but a sum. */
function reckoned(metrics: Properties[], figures: Record<string, number>): number {
  const byId = (id: string): number => {
    const { Expression, MetricStat } = metrics.find(({ Id }) => Id === id);
    if (!Expression) return figures[MetricStat.Metric.MetricName] ?? Number.NaN;
    const names: string[] = Expression.match(/\b[a-z]\w*\b/g) ?? [];
    const reckon = new Function('IF', 'SUM', ...names, `return ${Expression}`);
    return reckon(
      (condition: boolean, yes: number, no: number) => (condition ? yes : no),
      (values: number[]) =>
        values.filter((value) => !Number.isNaN(value)).reduce((a, b) => a + b, 0),
      ...names.map(byId),
    );
  };
  return byId(metrics.find(({ ReturnData }) => ReturnData).Id);
}

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

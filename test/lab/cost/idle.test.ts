import { expect, it } from 'vitest';
import { idleUse } from './idle.ts';

const resources = {
  queue: { Type: 'AWS::SQS::Queue' },
  deadLetters: { Type: 'AWS::SQS::Queue' },
  ofQueue: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: { 'Fn::GetAtt': ['queue', 'Arn'] } },
  },
  ofStream: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: { 'Fn::GetAtt': ['table', 'StreamArn'] } },
  },
  secret: { Type: 'AWS::SecretsManager::Secret' },
  alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
  ofTwo: {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: { Metrics: [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a/b' }] },
  },
};

it('a month at rest polls each queue that feeds a function, and keeps what is billed by the month', () => {
  const still = { sweep: {}, resetOcrWindows: {}, metrics: { busy: 9, idle: 0 } };

  const use = idleUse({ Resources: resources }, still);

  // Five pollers, three requests a minute each, 43,800 minutes.
  expect(use).toMatchObject({ queueRequest: 657_000, secret: 1, alarmMetric: 3, dashboard: 0 });
});

it('the schedules run 43,800 and 730 times a month', () => {
  const once = (name: string) => ({
    [name]: {
      ...{ memoryMb: 512, invocations: 1, durationMs: 0, cpuMs: 0, calls: {}, logBytes: 0 },
      ...{ writeUnits: name === 'sweep' ? 1 : 0, readUnits: name === 'sweep' ? 0 : 1 },
    },
  });
  const scheduled = {
    sweep: once('sweep'),
    resetOcrWindows: once('reset-ocr-windows'),
    metrics: { busy: 0, idle: 0 },
  };

  const use = idleUse({ Resources: {} }, scheduled);

  expect(use).toMatchObject({ writeUnit: 43_800, readUnit: 730, lambdaRequest: 44_530 });
});

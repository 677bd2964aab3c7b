import { describe, expect, it } from 'vitest';
import { all, functionIn, functions, referencesIn } from '../support/run/stack-template.ts';

describe('queues and streams', () => {
  const queues = new Map(all('AWS::SQS::Queue'));
  const mappings = all('AWS::Lambda::EventSourceMapping').map(([id, mapping]) => ({
    id,
    mapping,
    source: referencesIn(mapping.EventSourceArn)[0] ?? '',
    timeout: functionIn(mapping.FunctionName).properties.Timeout as number,
  }));
  const ofQueues = mappings.filter(({ source }) => queues.has(source));
  const ofStreams = mappings.filter(({ source }) => !queues.has(source));
  const deadLettersOf = (queue: string) =>
    referencesIn(queues.get(queue)?.RedrivePolicy?.deadLetterTargetArn);

  it.each(ofQueues)('$id hides messages longer than its function runs', ({ source, timeout }) => {
    expect(queues.get(source)?.VisibilityTimeout).toBeGreaterThan(timeout);
  });

  it.each(ofQueues)('$id gives a message up to a dead-letter queue', ({ source }) => {
    const [deadLetters = ''] = deadLettersOf(source);

    expect(queues.get(source)?.RedrivePolicy.maxReceiveCount).toBeGreaterThanOrEqual(5);
    expect(queues.get(deadLetters)?.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  });

  it.each(mappings)('$id returns only what failed', ({ mapping }) => {
    expect(mapping.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });

  it('give a worker that reads documents one at a time, so that none shares its worker', () => {
    const sizes = ofQueues.map(({ mapping }) => [
      functionIn(mapping.FunctionName).name,
      mapping.BatchSize,
    ]);

    expect(Object.fromEntries(sizes)).toEqual({
      'book-late-calls': 10,
      'run-chat-job': 10,
      'run-ocr-job': 1,
      'expand-folder': 10,
    });
  });

  it.each(ofStreams)('$id starts at the beginning and gives up to a queue', ({ mapping }) => {
    expect(mapping).toMatchObject({ StartingPosition: 'TRIM_HORIZON', MaximumRetryAttempts: 10 });
    const destination = referencesIn(mapping.DestinationConfig.OnFailure);
    expect(destination.filter((id) => queues.has(id))).toHaveLength(1);
  });

  it('that hold what nobody could take raise an alarm', () => {
    const alarmed = all('AWS::CloudWatch::Alarm')
      .filter(([, { MetricName }]) => MetricName === 'ApproximateNumberOfMessagesVisible')
      .flatMap(([, { Dimensions }]) => referencesIn(Dimensions));

    const givenUp = [
      ...[...queues.keys()].flatMap(deadLettersOf),
      ...ofStreams.flatMap(({ mapping }) => referencesIn(mapping.DestinationConfig)),
    ];
    expect(alarmed.sort()).toEqual([...new Set(givenUp)].sort());
  });

  it('are encrypted', () => {
    for (const [, queue] of queues) expect(queue.SqsManagedSseEnabled).toBe(true);
  });

  it('have alarms that say what a user notices and what to do, and are quiet without a cause', () => {
    const topics = all('AWS::SNS::Topic').map(([id]) => ({ Ref: id }));

    for (const [, alarm] of all('AWS::CloudWatch::Alarm')) {
      expect(alarm.AlarmDescription).toMatch(
        /^\S+( \S+){3,}\. What to do: \S+( \S+){4,}\. Runbook: \S.*\.$/,
      );
      const isOnSilence = alarm.MetricName === 'Invocations';
      expect(alarm.TreatMissingData).toBe(isOnSilence ? 'missing' : 'notBreaching');
      expect(alarm.InsufficientDataActions).toEqual(isOnSilence ? topics : undefined);
      expect([alarm.AlarmActions, alarm.OKActions]).toEqual([topics, topics]);
    }
  });

  it('have an alarm for what no function can tell of itself', () => {
    const alarms = all('AWS::CloudWatch::Alarm').map(([, alarm]) => {
      const {
        Namespace,
        MetricName,
        Dimensions = [],
        Threshold,
        Period,
        EvaluationPeriods,
      } = alarm;
      const [id] = referencesIn(Dimensions).filter((each) => !each.startsWith('AWS::'));
      const name = functions.find((fn) => fn.id === id)?.name;
      return [Namespace, MetricName, name, Threshold, `${EvaluationPeriods} x ${Period} s`]
        .filter((each) => each !== undefined)
        .join(' ');
    });

    expect(alarms).toEqual(
      expect.arrayContaining([
        'AWS/DynamoDB WriteThrottleEvents 100 1 x 300 s',
        'AWS/Lambda ConcurrentExecutions 800 1 x 300 s',
        'AWS/Lambda Errors authorize-request 1 1 x 300 s',
        'AWS/Lambda Invocations sweep 1 3 x 60 s',
        'AWS/Lambda IteratorAge deliver-events 300000 1 x 300 s',
        'AWS/Lambda IteratorAge dispatch-jobs 300000 1 x 300 s',
        'AWS/Lambda IteratorAge roll-up-usage 300000 1 x 300 s',
        'AWS/Lambda IteratorAge watch-spend 300000 1 x 300 s',
        'AWS/SQS ApproximateAgeOfOldestMessage 1800 1 x 300 s',
        'Quire CircuitsOpened 5 1 x 300 s',
        'Quire HoldsSwept 5 1 x 300 s',
        'Quire OldestReadyMs 900000 1 x 1800 s',
        'Quire UnbelievableUsage 1 1 x 300 s',
        'Quire UnsettledCalls 1 1 x 300 s',
      ]),
    );
  });
});

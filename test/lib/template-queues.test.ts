import { describe, expect, it } from 'vitest';
import { all, functionIn, referencesIn } from '../support/run/stack-template.ts';

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
    for (const [, { AlarmDescription, TreatMissingData }] of all('AWS::CloudWatch::Alarm')) {
      expect(AlarmDescription).toMatch(/^\S+( \S+){3,}\. What to do: \S+( \S+){4,}\.$/);
      expect(TreatMissingData).toBe('notBreaching');
    }
  });
});

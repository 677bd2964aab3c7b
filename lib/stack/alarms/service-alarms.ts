import { CfnOutput, Duration, NestedStack, Stack } from 'aws-cdk-lib';
import {
  ComparisonOperator,
  type CreateAlarmOptions,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** What an alarm says: what users notice, what its reader should do, and the section of RUNBOOK.md on it. */
export interface AlarmText {
  readonly notices: string;
  readonly todo: string;
  readonly runbook: string;
  /** Whether it is among the few that every deployment has: users notice, and nothing puts it right by itself. */
  readonly essential?: boolean;
}

export interface ServiceAlarmsProps {
  readonly kind: 'essential' | 'all' | 'none';
  /** The address that gets a mail for each alarm, once its owner has confirmed it. */
  readonly email: string | undefined;
}

/**
 * Alarms, each of which says what a user notices and what to do, and the topic that they are published to. They are a nested
 * stack, as a stack has room for 500 resources.
 */
export class ServiceAlarms extends Construct {
  private readonly topic: Topic | undefined;
  private readonly nested: NestedStack | undefined;
  private readonly kind: ServiceAlarmsProps['kind'];

  /** Returns the alarms of a construct's stack. */
  static of(scope: Construct): ServiceAlarms {
    return Stack.of(scope).node.findChild('alarms') as ServiceAlarms;
  }

  constructor(stack: Stack, { kind, email }: ServiceAlarmsProps) {
    super(stack, 'alarms');
    this.kind = kind;
    if (kind === 'none') return;
    this.nested = new NestedStack(this, 'nested', { description: 'Alarms of Quire' });
    this.topic = new Topic(this, 'topic', { displayName: 'Quire', enforceSSL: true });
    // A topic with any policy of its own has lost the one that lets its account publish, alarms among them.
    // https://repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email) this.topic.addSubscription(new EmailSubscription(email));
    new CfnOutput(this, 'topic-arn', { value: this.topic.topicArn }).overrideLogicalId(
      'AlarmTopic',
    );
  }

  /** Alarms while a dead-letter queue holds any message. */
  onMessages(queue: Queue, text: AlarmText): void {
    const metric = queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) });
    this.on(metric, nameOf(queue, 'messages'), 1, text);
  }

  /** Alarms when a queue's oldest message is older than any should become. */
  onAge(queue: Queue, age: Duration, text: AlarmText): void {
    const metric = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5) });
    this.on(metric, nameOf(queue, 'age'), age.toSeconds(), text);
  }

  /** Alarms when a function fails. */
  onErrors(fn: LambdaFunction, text: AlarmText): void {
    const metric = fn.metricErrors({ period: Duration.minutes(5) });
    this.on(metric, nameOf(fn, 'errors'), 1, text);
  }

  /**
   * Alarms when a function that is invoked each minute was not for three: it has no data then. A deployment that has none yet is
   * no alarm, as an alarm begins without data.
   */
  onSilence(fn: LambdaFunction, text: AlarmText): void {
    const metric = fn.metricInvocations({ period: Duration.minutes(1) });
    this.on(metric, nameOf(fn, 'silence'), 1, text, {
      evaluationPeriods: 3,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.MISSING,
    });
  }

  /** Alarms when a function is late with the records of a stream. */
  onLateness(fn: LambdaFunction, age: Duration, text: AlarmText): void {
    const metric = fn.metric('IteratorAge', { statistic: 'Maximum', period });
    this.on(metric, nameOf(fn, 'lateness'), age.toMilliseconds(), text);
  }

  /** Alarms when the given number of requests is throttled in five minutes. Each is tried again by its client. */
  onThrottles(id: string, count: number, throttles: Metric[], text: AlarmText): void {
    this.on(sumOf('throttled', throttles), id, count, text);
  }

  /** Alarms when faults are a hundredth of five minutes' requests, and `count` at least: a few are no outage. */
  onShare(
    id: string,
    count: number,
    requests: Metric,
    ours: Metric | MathExpression,
    text: AlarmText,
  ): void {
    const metric = new MathExpression({
      expression: `IF(ours >= ${count}, 100 * ours / requests, 0)`,
      usingMetrics: { ours, requests },
      label: 'percent',
      period,
    });
    this.on(metric, id, 1, text);
  }

  /** Alarms when a figure reaches a threshold. */
  on(
    metric: Metric | MathExpression,
    id: string,
    threshold: number,
    text: AlarmText,
    options: Partial<CreateAlarmOptions> = {},
  ): void {
    const { notices, todo, runbook, essential = false } = text;
    if (!this.topic || !this.nested || (this.kind === 'essential' && !essential)) return;
    const alarm = metric.createAlarm(this.nested, id, {
      alarmDescription: `${notices}. What to do: ${todo}. Runbook: ${runbook}.`,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...options,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    if (options.treatMissingData === TreatMissingData.MISSING) {
      alarm.addInsufficientDataAction(new SnsAction(this.topic));
    }
    alarm.addOkAction(new SnsAction(this.topic));
  }
}

const period = Duration.minutes(5);

/** A sum leaves out what has no data, of which any other arithmetic would have none either. */
const sumOf = (label: string, metrics: (Metric | MathExpression)[]) =>
  new MathExpression({
    expression: `SUM([${metrics.map((_, index) => `${label}${index}`).join(', ')}])`,
    usingMetrics: Object.fromEntries(metrics.map((each, index) => [`${label}${index}`, each])),
    label,
    period,
  });

/** Returns the faults that providers are not to blame for. */
export function withoutProviders(faults: Metric, negated: Metric): MathExpression {
  const usingMetrics = { negated };
  const less = new MathExpression({ expression: '0 - negated', usingMetrics, period });
  return sumOf('ours', [faults, less]);
}

const nameOf = ({ node }: Construct, what: string) =>
  `${node.path}-${what}`.split('/').slice(1).join('-');

import { resourcesOf, type Template } from '../../../lib/local/template/template.ts';
import { sum, times, type Use } from './bill.ts';
import { idlePolling } from './prices.ts';
import type { Counted } from './runs.ts';
import { useOf } from './work.ts';

const secondsAMonth = 730 * 3600;

/** What a deployed template uses in a month in which nobody calls it, and how often its schedules run. */
export function idleUse(
  template: Template,
  { sweep, resetOcrWindows, metrics }: Pick<Counted, 'sweep' | 'resetOcrWindows' | 'metrics'>,
): Use {
  const count = (type: string) => resourcesOf(template, type).length;
  return sum(
    times(useOf(sweep), secondsAMonth / 60),
    times(useOf(resetOcrWindows), secondsAMonth / 3600),
    {
      queueRequest:
        (polledQueues(template) * idlePolling.pollers * secondsAMonth) / idlePolling.seconds,
      secret: count('AWS::SecretsManager::Secret'),
      key: count('AWS::KMS::Key'),
      alarmMetric: alarmMetrics(template),
      dashboard: count('AWS::CloudWatch::Dashboard'),
      webAcl: count('AWS::WAFv2::WebACL'),
      webAclRule: webAclRules(template),
      metric: metrics.idle,
    },
  );
}

interface Alarm {
  MetricName?: string;
  Metrics?: { MetricStat?: unknown }[];
}

/** An alarm is billed for each metric that it looks at. */
function alarmMetrics(template: Template): number {
  return resourcesOf(template, 'AWS::CloudWatch::Alarm').reduce((sum, [, { Properties }]) => {
    const { Metrics = [] } = Properties as Alarm;
    return sum + Math.max(1, Metrics.filter(({ MetricStat }) => MetricStat).length);
  }, 0);
}

const webAclRules = (template: Template) =>
  resourcesOf(template, 'AWS::WAFv2::WebACL').reduce(
    (sum, [, { Properties }]) => sum + (Properties as { Rules: unknown[] }).Rules.length,
    0,
  );

/** The queues that feed a function: Lambda polls them whether or not anything is in them. */
function polledQueues(template: Template): number {
  const queues = new Set(resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => id));
  return resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(([, { Properties }]) => {
    const source = Properties?.['EventSourceArn'] as { 'Fn::GetAtt'?: [string] };
    return queues.has(source['Fn::GetAtt']?.[0] ?? '');
  }).length;
}

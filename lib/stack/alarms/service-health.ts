import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { ServiceFunction } from '../base/service-function.ts';
import type { ServiceTable } from '../base/service-table.ts';
import { ServiceAlarms } from './service-alarms.ts';
import { serviceMetric } from './service-metric.ts';

export interface ServiceHealthProps {
  readonly ledger: ServiceTable;
  /** The other tables that calls and jobs stand on. */
  readonly tables: readonly ServiceTable[];
  readonly concurrency: number;
}

/** Functions that users notice when throttled. An alarm costs the same for each function. */
const throttled = ['authorize-request', 'create-chat-completion', 'stream-chat', 'submit-job'];

/** The alarms on the service as a whole: on what its functions measure, and on what happens before they run. */
export class ServiceHealth extends Construct {
  private readonly props: ServiceHealthProps;
  private readonly alarms = ServiceAlarms.of(this);

  constructor(scope: Construct, id: string, props: ServiceHealthProps) {
    super(scope, id);
    this.props = props;
    this.watchCallers();
    this.watchJobs();
    this.watchConcurrency();
    this.watchTables();
    this.watchTextract();
  }

  private watchCallers(): void {
    const [requests, faults] = [serviceMetric(this, 'Requests'), serviceMetric(this, 'Faults')];
    this.alarms.onShare('faults', 10, requests, faults, {
      notices: 'One of a hundred answers or more is a 5xx, for which no provider is to blame',
      todo: 'find the code of the errors',
      runbook: 'Faults',
    });
    this.alarms.on(serviceMetric(this, 'CircuitsOpened'), 'provider-down', 5, {
      notices: 'Answers of a model are 503 or come from its next upstream, and chat jobs wait',
      todo: 'see which provider it is, and whether its key is valid; add an upstream to the model',
      runbook: 'Provider down',
      essential: true,
    });
    this.alarms.on(serviceMetric(this, 'HoldsSwept'), 'holds-swept', 5, {
      notices: 'Answers break off or never come; callers pay for what was noted of them',
      todo: 'functions die between asking a model and settling: find out which, and why',
      runbook: 'Holds swept',
      essential: true,
    });
    this.alarms.on(serviceMetric(this, 'UnsettledCalls'), 'unsettled-calls', 1, {
      notices:
        'Some calls are charged minutes late, or are free to their callers if nothing else could be written either',
      todo: 'see what kept their charges from being written: a throttled key, or an outage of the ledger',
      runbook: 'Unsettled calls',
      essential: true,
    });
    this.alarms.on(serviceMetric(this, 'UnbelievableUsage'), 'unbelievable-usage', 1, {
      notices:
        'Some answers have an estimated usage, and the operator may pay more than the key does',
      todo: "compare the figures of the log with the provider's bill and the catalogue",
      runbook: 'Unbelievable usage',
      essential: true,
    });
    this.alarms.on(serviceMetric(this, 'OutputBeyondLimit'), 'output-beyond-limit', 1, {
      notices: 'Some answers are longer than was asked for, and cost more; some streams are cut',
      todo: "set outputLimitName of the model's upstream in the catalogue, or its maxOutputTokens",
      runbook: 'Output beyond its limit',
      essential: true,
    });
  }

  private watchJobs(): void {
    const text = {
      notices: 'Jobs wait more than a quarter of an hour before they start',
      todo: 'find the lane, then raise its workers or quire:textractPagesPerSecond, and deploy',
      runbook: 'Jobs wait',
    };
    const threshold = 15 * 60_000;
    this.alarms.on(serviceMetric(this, 'QueueAgeMs', 'p95'), 'queue-age', threshold, text);
    // The sweep comes by at a job that waits after 1, 2, 4, 8, 16 minutes: half an hour holds one of them.
    const oldest = serviceMetric(this, 'OldestReadyMs', 'Maximum', Duration.minutes(30));
    this.alarms.on(oldest, 'oldest-ready', threshold, { ...text, essential: true });
  }

  private watchConcurrency(): void {
    const { concurrency } = this.props;
    const waitedFor = Stack.of(this)
      .node.findAll()
      .filter((each): each is ServiceFunction => each instanceof ServiceFunction)
      .filter(({ node }) => throttled.includes(node.id));
    const period = Duration.minutes(5);
    const throttles = waitedFor.map((fn) => fn.metricThrottles({ period }));
    this.alarms.onThrottles('throttles', 1, throttles, {
      notices: 'Some calls get 429 or 5xx answers, jobs start late',
      todo: 'see which function it is, and what takes the concurrency of the account',
      runbook: 'Concurrency',
      essential: true,
    });
    // The account's functions of other stacks count as well: they take from the same quota.
    const running = ServiceFunction.metricAllConcurrentExecutions({ statistic: 'Maximum', period });
    this.alarms.on(running, 'concurrency', Math.ceil(concurrency * 0.8), {
      notices: 'Nothing yet; soon calls get 429 answers and jobs start late',
      todo: 'have the quota of concurrent executions raised, or lower the workers',
      runbook: 'Concurrency',
      essential: true,
    });
  }

  /** A few throttles are how a table on demand grows. */
  private watchTables(): void {
    const { ledger, tables } = this.props;
    const throttles = (table: ServiceTable, of: 'Read' | 'Write') =>
      table.metric(`${of}ThrottleEvents`, { statistic: 'Sum', period: Duration.minutes(5) });
    this.alarms.on(throttles(ledger, 'Write'), 'ledger-throttled', 100, {
      notices: 'A key that calls much gets 503 answers, and its calls take longer to end',
      todo: 'see whose calls they are, and lower the requests a minute of that key',
      runbook: 'Throttled tables',
      essential: true,
    });
    const others = tables.flatMap((table) => [throttles(table, 'Read'), throttles(table, 'Write')]);
    this.alarms.onThrottles('tables-throttled', 100, others, {
      notices: 'Some calls get 503 answers, jobs and statistics are late',
      todo: 'see which table it is, and warm its throughput up',
      runbook: 'Throttled tables',
    });
  }

  /** Other stacks of the account count as well: they take from the same quota. */
  private watchTextract(): void {
    const throttles = ['DetectDocumentText', 'AnalyzeDocument'].map(
      (Operation) =>
        new Metric({
          namespace: 'AWS/Textract',
          metricName: 'ThrottledCount',
          dimensionsMap: { Operation },
          statistic: 'Sum',
          period: Duration.minutes(5),
        }),
    );
    this.alarms.onThrottles('textract-throttled', 100, throttles, {
      notices: 'Documents take longer to be read: Textract refuses pages',
      todo: 'set quire:textractPagesPerSecond to the quota of the account, or have the quota raised',
      runbook: 'Throttled Textract',
    });
  }
}

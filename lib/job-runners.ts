import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { JobTable } from './job-table.ts';
import { LaneQueue, workerTimeout } from './lane-queue.ts';
import type { Ledger } from './ledger.ts';
import type { ModelProviders } from './model-providers.ts';
import type { ServiceAlarms } from './service-alarms.ts';
import { type FunctionLogs, ServiceFunction } from './service-function.ts';

export interface JobRunnersProps {
  readonly jobs: JobTable;
  readonly ledger: Ledger;
  readonly providers: ModelProviders;
  readonly alarms: ServiceAlarms;
  readonly logs: FunctionLogs;
  readonly chatWorkers: number;
  readonly laneShards: number;
}

/** What runs jobs: the table's stream rings, queues carry, workers claim, the sweep misses nothing. */
export class JobRunners extends Construct {
  private readonly props: JobRunnersProps;
  private readonly chatQueue: LaneQueue;

  constructor(scope: Construct, id: string, props: JobRunnersProps) {
    super(scope, id);
    this.props = props;
    this.chatQueue = new LaneQueue(this, 'chat', { name: 'chat', alarms: props.alarms });
    this.addDispatch();
    this.addChatWorker();
    this.addSweep();
  }

  private addDispatch(): void {
    const { jobs, alarms, logs } = this.props;
    const dispatchJobs = new ServiceFunction(this, 'dispatch-jobs', {
      description: 'Rings the queue of each job that became ready',
      timeout: Duration.seconds(30),
      logs,
    });
    this.chatQueue.grantRing(dispatchJobs);
    const missed = new Queue(this, 'missed-batches', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    alarms.onMessages(
      missed,
      'Jobs start up to two minutes late: their doorbells could not be rung',
    );
    dispatchJobs.addEventSource(
      new DynamoEventSource(jobs.stream, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        retryAttempts: 10,
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        onFailure: new SqsDlq(missed),
        filters: [
          FilterCriteria.filter({
            dynamodb: { NewImage: { status: { S: FilterRule.isEqual('queued') } } },
          }),
        ],
      }),
    );
  }

  private addChatWorker(): void {
    const { jobs, ledger, providers, alarms, logs, chatWorkers } = this.props;
    const runChatJob = new ServiceFunction(this, 'run-chat-job', {
      description: 'Runs chat jobs',
      timeout: workerTimeout,
      memorySize: 1024,
      logs,
    });
    jobs.grantTransition(runChatJob);
    jobs.grantFind(runChatJob);
    jobs.grantBodies(runChatJob);
    ledger.grantSpend(runChatJob);
    providers.grantCall(runChatJob);
    this.chatQueue.feed(runChatJob, chatWorkers);
    alarms.onErrors(runChatJob, 'Chat jobs take longer: a worker stopped in their middle');
  }

  private addSweep(): void {
    const { jobs, ledger, alarms, logs, laneShards } = this.props;
    const sweep = new ServiceFunction(this, 'sweep', {
      description: 'Takes back jobs and holds of lost workers, rings again for forgotten jobs',
      timeout: Duration.minutes(1),
      logs,
    });
    jobs.grantTransition(sweep);
    jobs.grantFind(sweep);
    ledger.grantAudit(sweep);
    this.chatQueue.grantRing(sweep);
    sweep.addEnvironment('LANE_SHARDS', String(laneShards));
    alarms.onErrors(
      sweep,
      'Jobs of lost workers stay in processing, and what they held stays held',
    );
    new Rule(this, 'each-minute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaTarget(sweep, { retryAttempts: 0 })],
    });
  }
}

import { Duration, Size, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { FilterRule, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { Canary } from '../alarms/canary.ts';
import { ServiceAlarms } from '../alarms/service-alarms.ts';
import { ServiceFunction } from '../base/service-function.ts';
import { StreamFeed } from '../base/stream-feed.ts';
import type { Needs } from '../parts.ts';
import type { Settings } from '../settings/settings.ts';
import { workerTimeout } from './queue-with-dead-letters.ts';

/** What all runners of jobs work with. */
export type RunnerProps = Needs<'settings' | 'queues' | 'jobs' | 'files' | SpenderParts>;
type SpenderParts = 'ledger' | 'keys' | 'providers' | 'drive';

type JobRunnersProps = RunnerProps & Needs<'webhooks'>;

/** EventBridge takes no more targets of a rule. */
const maxTargets = 5;

/** The dispatcher on the jobs' stream, the worker of chat jobs, and the sweep, which finds what was lost. */
export class JobRunners extends Construct {
  private readonly props: JobRunnersProps;

  constructor(scope: Construct, id: string, props: JobRunnersProps) {
    super(scope, id);
    this.props = props;
    this.addDispatch();
    this.addChatWorker();
    this.addSweep();
  }

  private addDispatch(): void {
    const { queues, jobs, keys, webhooks } = this.props;
    const dispatchJobs = new ServiceFunction(this, 'dispatch-jobs', {
      description:
        'Sends a message for each job that became ready, counts each that has ended at its parent',
      timeout: Duration.seconds(30),
    });
    jobs.grant(dispatchJobs, 'transition');
    keys.grantRead(dispatchJobs);
    queues.grantRing(dispatchJobs);
    webhooks.grantNote(dispatchJobs);
    Canary.of(this).guard(dispatchJobs);
    new StreamFeed(this, 'jobs', {
      table: jobs.table,
      fn: dispatchJobs,
      patterns: [
        { dynamodb: { NewImage: { status: { S: FilterRule.isEqual('queued') } } } },
        {
          dynamodb: {
            NewImage: {
              status: { S: FilterRule.or('done', 'failed', 'cancelled') },
              parent_job_id: { S: FilterRule.exists() },
              counted: { BOOL: FilterRule.notExists() },
            },
          },
        },
        // Jobs that end now are logged and reported.
        {
          dynamodb: {
            NewImage: { completed_at: { S: FilterRule.exists() } },
            OldImage: { completed_at: { S: FilterRule.notExists() } },
          },
        },
      ],
      alarmText: {
        notices: 'Jobs start up to two minutes late, and folders end up to half an hour late',
        todo: 'nothing is lost, the sweep catches up; look for the error in the logs of dispatch-jobs, then purge the queue',
      },
      latenessText: {
        notices: 'Jobs start minutes late',
        todo: 'nothing is lost; see whether dispatch-jobs fails or is throttled',
        essential: true,
      },
    });
  }

  private addChatWorker(): void {
    const { queues, jobs, files, ledger, keys, providers, drive, settings } = this.props;
    const runChatJob = new ServiceFunction(this, 'run-chat-job', {
      description: 'Runs chat jobs',
      timeout: workerTimeout,
      // Ten jobs at once may have 6 MB of messages each, in several forms.
      memorySize: 1024,
      // Up to ten batch files at once, and the files of their results.
      diskSize: Size.gibibytes(10),
    });
    jobs.grant(runChatJob, 'work', 'upload');
    files.grant(runChatJob, 'read');
    files.grant(runChatJob, 'create');
    keys.grantRead(runChatJob);
    drive.grantUse(runChatJob);
    setDocumentLimits(runChatJob, settings);
    ledger.grant(runChatJob, 'spend', 'hold');
    providers.grantCall(runChatJob);
    Canary.of(this).guard(runChatJob);
    queues.chat.feed(runChatJob, settings.chatWorkers);
    ServiceAlarms.of(this).onErrors(runChatJob, {
      notices: 'Chat jobs take longer: a worker stopped in their middle',
      todo: 'nothing is lost, their leases end within a minute; look for timeouts or memory in the logs of run-chat-job',
      runbook: 'Workers fail',
      essential: true,
    });
  }

  private addSweep(): void {
    const { queues, jobs, files, ledger, webhooks } = this.props;
    const { sweeps } = this.props.settings;
    const sweep = new ServiceFunction(this, 'sweep', {
      description:
        'Takes back jobs and holds of lost workers, rings for forgotten jobs, erases deleted ones and files that ended',
      timeout: Duration.minutes(1),
      // A sweep among several audits accounts all the time, and has a whole processor for that.
      ...(sweeps > 1 && { memorySize: 1_769 }),
    });
    // The next minute's comes anyway.
    sweep.configureAsyncInvoke({ maxEventAge: Duration.minutes(1), retryAttempts: 0 });
    jobs.grant(sweep, 'transition', 'erase', 'due', 'count');
    files.grant(sweep, 'sweep');
    ledger.grant(sweep, 'audit', 'hold');
    queues.grantRing(sweep);
    queues.setShards(sweep);
    webhooks.grantSweep(sweep);
    ServiceAlarms.of(this).onErrors(sweep, {
      notices: 'Jobs of lost workers stay in processing, and what they held stays held',
      todo: 'the next minute tries again; if it goes on, the error is in the logs of sweep',
      runbook: 'Sweep',
      essential: true,
    });
    ServiceAlarms.of(this).onSilence(sweep, {
      notices: 'Jobs and holds of lost workers are not taken back, and forgotten jobs wait',
      todo: 'see whether the rule each-minute is enabled, and whether the function is throttled',
      runbook: 'Sweep',
      essential: true,
    });
    const targets = Array.from(
      { length: sweeps },
      (_, number) =>
        new LambdaTarget(sweep, {
          retryAttempts: 0,
          ...(sweeps > 1 && { event: RuleTargetInput.fromObject({ sweep: number, of: sweeps }) }),
        }),
    );
    for (let from = 0; from < sweeps; from += maxTargets) {
      new Rule(this, from === 0 ? 'each-minute' : `each-minute-${from}`, {
        schedule: Schedule.rate(Duration.minutes(1)),
        targets: targets.slice(from, from + maxTargets),
      });
    }
  }
}

/** Sets how large a document may be, and how slow, for a function that reads documents. */
export function setDocumentLimits(fn: LambdaFunction, settings: Settings): void {
  const limits = { bytes: settings.documentMaxMb * 1024 * 1024, pages: settings.documentMaxPages };
  fn.addEnvironment('DOCUMENT_LIMITS', Stack.of(fn).toJsonString(limits));
  fn.addEnvironment('PAGE_SECONDS', String(settings.documentPageSeconds));
}

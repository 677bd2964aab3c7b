import { Duration, Size } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { Canary } from '../alarms/canary.ts';
import { ServiceAlarms } from '../alarms/service-alarms.ts';
import { acknowledge, allow } from '../base/permissions.ts';
import { ServiceFunction } from '../base/service-function.ts';
import { type RunnerProps, setDocumentLimits } from './job-runners.ts';
import { workerTimeout } from './queue-with-dead-letters.ts';

/** The workers that read pages and expand folders, and the hourly reset of image allowances. */
export class DocumentRunners extends Construct {
  private readonly props: RunnerProps;

  constructor(scope: Construct, id: string, props: RunnerProps) {
    super(scope, id);
    this.props = props;
    this.addOcrWorker();
    this.addFolderWorker();
    this.addReset();
  }

  private addOcrWorker(): void {
    const { queues, jobs, files, ledger, keys, providers, drive, settings } = this.props;
    const runOcrJob = new ServiceFunction(this, 'run-ocr-job', {
      description: 'Reads the pages of documents',
      timeout: workerTimeout,
      // The process that draws pages takes most of it, and all else 300 MB.
      memorySize: 2048,
      // One document, and what it is taken apart into.
      diskSize: Size.gibibytes(1),
    });
    jobs.grant(runOcrJob, 'work', 'upload');
    files.grant(runOcrJob, 'read');
    queues.setShards(runOcrJob);
    ledger.grant(runOcrJob, 'spend');
    keys.grantRead(runOcrJob);
    providers.grantCall(runOcrJob);
    drive.grantUse(runOcrJob);
    setDocumentLimits(runOcrJob, settings);
    grantTextract(runOcrJob, settings.textractPagesPerSecond);
    Canary.of(this).guard(runOcrJob);
    queues.ocr.feed(runOcrJob, settings.ocrWorkers, documentsAtOnce);
    ServiceAlarms.of(this).onErrors(runOcrJob, {
      notices: 'Documents take longer: a worker stopped in the middle of one',
      todo: 'no page is lost or paid twice; look for timeouts or memory in the logs of run-ocr-job',
      runbook: 'Workers fail',
      essential: true,
    });
  }

  private addFolderWorker(): void {
    const { queues, jobs, keys, drive, settings } = this.props;
    const expandFolder = new ServiceFunction(this, 'expand-folder', {
      description: 'Makes a job for each file of a folder',
      timeout: workerTimeout,
    });
    // The folder's table takes values extracted from its files, which may be objects.
    jobs.grant(expandFolder, 'work', 'objects');
    queues.setShards(expandFolder);
    keys.grantRead(expandFolder);
    drive.grantUse(expandFolder);
    Canary.of(this).guard(expandFolder);
    queues.folder.feed(expandFolder, settings.folderWorkers);
    ServiceAlarms.of(this).onErrors(expandFolder, {
      notices: 'Files of a folder are found late: a worker stopped in its middle',
      todo: 'it goes on where it stopped; if it goes on failing, the error is in the logs of expand-folder',
      runbook: 'Workers fail',
    });
  }

  private addReset(): void {
    const { queues, jobs, ledger } = this.props;
    const reset = new ServiceFunction(this, 'reset-ocr-windows', {
      description: 'Begins the hour for every allowance of images, and wakes who waited for it',
      timeout: Duration.minutes(5),
    });
    // A pipeline waits in the queue of its documents. This also finds one if the end of its child was not counted.
    jobs.grant(reset, 'transition', 'due', 'count');
    ledger.grant(reset, 'reset');
    queues.ocr.grantRing(reset);
    queues.setShards(reset);
    ServiceAlarms.of(this).onErrors(reset, {
      notices: 'Documents that wait for the next hour begin up to a minute later',
      todo: 'nothing, if it happened once: the sweep wakes them; else see the logs of reset-ocr-windows',
      runbook: 'Workers fail',
    });
    new Rule(this, 'each-hour', {
      schedule: Schedule.cron({ minute: '0' }),
      targets: [new LambdaTarget(reset, { retryAttempts: 2 })],
    });
  }
}

/** How many documents an invocation takes. Eight pages of one keep it drawing; and a broken document breaks no other. */
const documentsAtOnce = 1;

/**
 * Lets a function read pages with Textract, at a rate of all workers together. A policy can name no resources of it.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazontextract.html
 */
function grantTextract(fn: LambdaFunction, pagesPerSecond: number): void {
  allow(fn, ['textract:AnalyzeDocument', 'textract:DetectDocumentText'], '*');
  acknowledge(fn, { 'IAM5[Resource::*]': 'Textract has no resources that a policy could name.' });
  fn.addEnvironment('TEXTRACT_PAGES_PER_SECOND', String(pagesPerSecond));
}

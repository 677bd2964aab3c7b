import { Duration, Size } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ServiceFunction } from '../base/service-function.ts';
import type { Needs } from '../parts.ts';
import type { RouteKind } from '../settings/request-rates.ts';
import { setDocumentLimits } from './job-runners.ts';

type BatchesApiProps = Needs<'api' | 'jobs' | 'files' | 'queues'>;
type JobsApiProps = BatchesApiProps & Needs<'settings' | 'drive' | 'feedback'>;

/** The routes to submit, list, read, cancel, stop, retry and delete jobs. */
export class JobsApi extends Construct {
  constructor(scope: Construct, id: string, props: JobsApiProps) {
    super(scope, id);
    const { api, jobs, queues } = props;
    const endpoint = (name: string, route: string, kind?: RouteKind) =>
      api.endpoint(this, name, route, { memorySize: 1024, ...(kind && { kind }) });
    const submitJob = endpoint('submit-job', 'POST /batch/jobs', 'submission');
    jobs.grant(submitJob, 'submit');
    props.files.grant(submitJob, 'read');
    queues.setShards(submitJob);
    this.grantEstimate(submitJob, props);
    jobs.grant(endpoint('list-jobs', 'GET /batch/jobs'), 'list');
    jobs.grant(endpoint('get-job', 'GET /batch/jobs/{job_id}'), 'read');
    for (const end of ['cancel', 'stop']) {
      const fn = endpoint(`${end}-job`, `POST /batch/jobs/{job_id}/${end}`);
      jobs.grant(fn, 'transition', 'count');
    }

    const retryJob = endpoint('retry-job', 'POST /batch/jobs/{job_id}/retry');
    jobs.grant(retryJob, 'retry');
    queues.setShards(retryJob);

    const deleteJob = endpoint('delete-job', 'DELETE /batch/jobs/{job_id}');
    jobs.grant(deleteJob, 'erase');
    props.feedback.grantErase(deleteJob);
    props.files.grant(deleteJob, 'delete');
    this.addPages(props);
  }

  /** Draws pages as `run-ocr-job` does: in a process without credentials, and with as much memory. */
  private addPages({ api, jobs, settings }: JobsApiProps): void {
    const getJobPage = api.endpoint(this, 'get-job-page', 'GET /batch/jobs/{job_id}/pages/{page}', {
      isStreamed: true,
      memorySize: 2048,
      diskSize: Size.gibibytes(1),
    });
    jobs.grant(getJobPage, 'read');
    setDocumentLimits(getJobPage, settings);
  }

  /** Lets a function ask what a submission would come to, of a function that may look at files and the drive. */
  private grantEstimate(fn: ServiceFunction, props: JobsApiProps): void {
    const { jobs, files, queues, drive, settings } = props;
    const estimateJob = new ServiceFunction(this, 'estimate-job', {
      description: 'Estimates what a submission would come to',
      // After 18 seconds the function returns what it has.
      timeout: Duration.seconds(24),
      memorySize: 1024,
    });
    jobs.grant(estimateJob, 'find');
    files.grant(estimateJob, 'read');
    queues.setShards(estimateJob);
    drive.grantUse(estimateJob);
    setDocumentLimits(estimateJob, settings);
    estimateJob.letInvoke(fn);
  }
}

/** The routes of OpenAI's batches: each is a job. */
export class RequestBatchesApi extends Construct {
  constructor(scope: Construct, id: string, props: BatchesApiProps) {
    super(scope, id);
    const { api, jobs, files, queues } = props;
    const createBatch = api.endpoint(this, 'create-batch', 'POST /v1/batches', {
      kind: 'submission',
    });
    files.grant(createBatch, 'readUploaded');
    jobs.grant(createBatch, 'retry');
    queues.setShards(createBatch);
    jobs.grant(api.endpoint(this, 'list-batches', 'GET /v1/batches'), 'listBatches');
    const one = '/v1/batches/{batch_id}';
    jobs.grant(api.endpoint(this, 'get-batch', `GET ${one}`), 'find');
    jobs.grant(api.endpoint(this, 'cancel-batch', `POST ${one}/cancel`), 'transition');
  }
}

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ServiceFunction } from '../base/service-function.ts';
import type { FileStore } from '../file-store.ts';
import type { ServiceApi } from '../gateway/service-api.ts';
import type { RouteKind } from '../settings/request-rates.ts';
import type { JobQueues } from './job-queues.ts';
import type { JobTable } from './job-table.ts';

export interface BatchesApiProps {
  readonly api: ServiceApi;
  readonly jobs: JobTable;
  readonly files: FileStore;
  readonly queues: JobQueues;
}

/** The routes of OpenAI's batches: each is a job. */
export class RequestBatchesApi extends Construct {
  constructor(scope: Construct, id: string, props: BatchesApiProps) {
    super(scope, id);
    const { api, jobs, files, queues } = props;
    const endpoint = (name: string, method: string, path: string, kind?: RouteKind) => {
      const fn = new ServiceFunction(this, name, {
        description: `${method} ${path}`,
        timeout: Duration.seconds(25),
      });
      api.route(method, path, fn, kind);
      return fn;
    };

    const createBatch = endpoint('create-batch', 'POST', '/v1/batches', 'submission');
    files.grantReadUploaded(createBatch);
    jobs.grantRetry(createBatch);
    queues.setShards(createBatch);
    jobs.grantListBatches(endpoint('list-batches', 'GET', '/v1/batches'));
    const one = '/v1/batches/{batch_id}';
    jobs.grantFindKnown(endpoint('get-batch', 'GET', one));
    jobs.grantTransition(endpoint('cancel-batch', 'POST', `${one}/cancel`));
  }
}

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { JobLanes } from './job-lanes.ts';
import type { JobTable } from './job-table.ts';
import type { RouteKind } from './request-rates.ts';
import type { ServiceApi } from './service-api.ts';
import { type FunctionLogs, ServiceFunction } from './service-function.ts';

export interface BatchApiProps {
  readonly api: ServiceApi;
  readonly jobs: JobTable;
  readonly logs: FunctionLogs;
  readonly lanes: JobLanes;
}

/** The routes to submit, list, read and cancel jobs. */
export class BatchApi extends Construct {
  constructor(scope: Construct, id: string, { api, jobs, logs, lanes }: BatchApiProps) {
    super(scope, id);
    const endpoint = (
      name: string,
      method: string,
      path: string,
      kind?: RouteKind,
    ): ServiceFunction => {
      const fn = new ServiceFunction(this, name, {
        description: `${method} ${path}`,
        timeout: Duration.seconds(25),
        memorySize: 1024,
        logs,
      });
      api.route(method, path, fn, kind);
      return fn;
    };

    const submitJob = endpoint('submit-job', 'POST', '/batch/jobs', 'submission');
    jobs.grantSubmit(submitJob);
    lanes.setShards(submitJob);
    jobs.grantList(endpoint('list-jobs', 'GET', '/batch/jobs'));
    jobs.grantRead(endpoint('get-job', 'GET', '/batch/jobs/{job_id}'));
    jobs.grantTransition(endpoint('cancel-job', 'POST', '/batch/jobs/{job_id}/cancel'));
  }
}

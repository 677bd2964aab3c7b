import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { ServiceApi } from './service-api.ts';
import { type FunctionLogs, ServiceFunction } from './service-function.ts';

export interface ContractProps {
  readonly api: ServiceApi;
  readonly logs: FunctionLogs;
}

/** The service's description of itself, for programs and for people. */
export class Contract extends Construct {
  constructor(scope: Construct, id: string, { api, logs }: ContractProps) {
    super(scope, id);
    const endpoint = (name: string, path: string): ServiceFunction => {
      const fn = new ServiceFunction(this, name, {
        description: `GET ${path}`,
        timeout: Duration.seconds(10),
        logs,
      });
      api.routeOpen('GET', path, fn);
      return fn;
    };

    endpoint('get-openapi', '/openapi.json');
    api.routeOpen('GET', '/docs/{file}', endpoint('get-docs', '/docs'));
  }
}

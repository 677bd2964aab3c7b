import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { ServiceApi } from './service-api.ts';
import { type FunctionLogs, ServiceFunction } from './service-function.ts';

export interface DocsApiProps {
  readonly api: ServiceApi;
  readonly logs: FunctionLogs;
}

/** The routes that describe the API: a document for programs, a page for people, and links to both. */
export class DocsApi extends Construct {
  constructor(scope: Construct, id: string, { api, logs }: DocsApiProps) {
    super(scope, id);
    const timeout = Duration.seconds(20);
    const endpoint = (name: string, path: string): ServiceFunction => {
      const fn = new ServiceFunction(this, name, { description: `GET ${path}`, timeout, logs });
      api.routeOpenStreamed('GET', path, fn, timeout);
      return fn;
    };

    endpoint('get-index', '/');
    endpoint('get-openapi', '/openapi.json');
    api.routeOpenStreamed('GET', '/docs/{file}', endpoint('get-docs', '/docs'), timeout);
  }
}

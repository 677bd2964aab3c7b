import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import type { RoutesProps } from './gateway/service-api.ts';

/** The routes that describe the API: a document for programs, a page for people, and links to both. */
export class DocsApi extends Construct {
  constructor(scope: Construct, id: string, { api }: RoutesProps) {
    super(scope, id);
    const timeout = Duration.seconds(20);
    const newFunction = (name: string, path: string) =>
      new ServiceFunction(this, name, { description: `GET ${path}`, timeout });
    api.routeOpen('GET', '/', newFunction('get-index', '/'));
    const getDocument = newFunction('get-openapi', '/openapi.json');
    api.routeOpenStreamed('GET', '/openapi.json', getDocument, timeout, 'file');
    const getDocs = newFunction('get-docs', '/docs');
    api.routeOpenStreamed('GET', '/docs', getDocs, timeout);
    api.routeOpenStreamed('GET', '/docs/{file}', getDocs, timeout, 'file');
  }
}

/** The console: a page, and the files that it loads. What it shows it asks of the other routes. */
export class ConsoleApi extends Construct {
  constructor(scope: Construct, id: string, { api }: RoutesProps) {
    super(scope, id);
    const timeout = Duration.seconds(10);
    const getConsole = new ServiceFunction(this, 'get-console', {
      description: 'GET /console',
      timeout,
    });
    api.routeOpenStreamed('GET', '/console', getConsole, timeout);
    api.routeOpenStreamed('GET', '/console/{file}', getConsole, timeout, 'file');
  }
}

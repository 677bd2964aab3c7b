import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import type { Needs } from './parts.ts';

/** The routes that describe the API: a document for programs, a page for people, and links to both. */
export class DocsApi extends Construct {
  constructor(scope: Construct, id: string, { api }: Needs<'api'>) {
    super(scope, id);
    const timeout = Duration.seconds(20);
    const newFunction = (name: string, path: string) =>
      new ServiceFunction(this, name, { description: `GET ${path}`, timeout });
    api.route('GET /', newFunction('get-index', '/'), { isOpen: true });
    const getDocument = newFunction('get-openapi', '/openapi.json');
    api.route('GET /openapi.json', getDocument, { isOpen: true, timeout, kind: 'file' });
    const getDocs = newFunction('get-docs', '/docs');
    api.route('GET /docs', getDocs, { isOpen: true, timeout });
    api.route('GET /docs/{file}', getDocs, { isOpen: true, timeout, kind: 'file' });
  }
}

/** The console: a page, and the files that it loads. What it shows it asks of the other routes. */
export class ConsoleApi extends Construct {
  constructor(scope: Construct, id: string, { api }: Needs<'api'>) {
    super(scope, id);
    const timeout = Duration.seconds(10);
    const getConsole = new ServiceFunction(this, 'get-console', {
      description: 'GET /console',
      timeout,
    });
    api.route('GET /console', getConsole, { isOpen: true, timeout });
    api.route('GET /console/{file}', getConsole, { isOpen: true, timeout, kind: 'file' });
  }
}

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Needs } from './parts.ts';

/** The routes that describe the API: a document for programs, a page for people, and links to both. */
export class DocsApi extends Construct {
  constructor(scope: Construct, id: string, { api }: Needs<'api'>) {
    super(scope, id);
    const open = { isOpen: true, timeout: Duration.seconds(20) };
    const page = { ...open, isStreamed: true };
    const file = { ...page, kind: 'file' } as const;
    api.endpoint(this, 'get-index', 'GET /', open);
    api.endpoint(this, 'get-openapi', 'GET /openapi.json', file);
    api.route('GET /docs/{file}', api.endpoint(this, 'get-docs', 'GET /docs', page), file);
  }
}

/** The console: a page, and the files that it loads. What it shows it asks of the other routes. */
export class ConsoleApi extends Construct {
  constructor(scope: Construct, id: string, { api }: Needs<'api'>) {
    super(scope, id);
    const page = { isOpen: true, timeout: Duration.seconds(10), isStreamed: true };
    const getConsole = api.endpoint(this, 'get-console', 'GET /console', page);
    api.route('GET /console/{file}', getConsole, { ...page, kind: 'file' });
  }
}

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import type { RoutesProps } from './gateway/service-api.ts';

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

import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';

/** The function that reads pages of the web. It may do nothing but write its logs: strangers choose the pages. */
export class PageReader extends Construct {
  private readonly readPage: ServiceFunction;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.readPage = new ServiceFunction(this, 'read-page', {
      description: 'Reads a page of the web for another function',
      // Ten seconds to fetch a page, and the rest to make text of it.
      timeout: Duration.seconds(20),
      memorySize: 1024,
    });
  }

  /** Lets a function have pages read. */
  grantRead(fn: LambdaFunction): void {
    this.readPage.letInvoke(fn, 'READ_PAGE_FUNCTION');
  }
}

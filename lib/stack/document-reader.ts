import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';

/** The function that reads documents for others. It may do nothing but write its logs: strangers made the files. */
export class DocumentReader extends Construct {
  private readonly readDocument: ServiceFunction;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.readDocument = new ServiceFunction(this, 'read-document', {
      description: 'Reads a document for another function',
      // Half of it to take a document apart, and the rest for its PDFs.
      timeout: Duration.seconds(60),
      memorySize: 2048,
    });
  }

  /** Lets a function have documents read. */
  grantRead(fn: LambdaFunction): void {
    this.readDocument.letInvoke(fn, 'READ_DOCUMENT_FUNCTION');
  }
}

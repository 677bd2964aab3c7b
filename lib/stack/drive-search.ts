import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import type { DocumentReader } from './document-reader.ts';
import type { DriveAccount } from './drive-account.ts';
import type { JobTable } from './jobs/job-table.ts';

export interface DriveSearchProps {
  readonly drive: DriveAccount;
  readonly documentReader: DocumentReader;
  /** Whose bucket holds the documents that are too large for an invocation. */
  readonly jobs: JobTable;
}

/** The function that searches Drive folders for the functions that chat, and has their documents read. */
export class DriveSearch extends Construct {
  private readonly searchDrive: ServiceFunction;

  constructor(scope: Construct, id: string, { drive, documentReader, jobs }: DriveSearchProps) {
    super(scope, id);
    this.searchDrive = new ServiceFunction(this, 'search-drive', {
      description: 'Searches the Drive folders of a key, and has their documents read',
      // It returns what it has after 25 seconds.
      timeout: Duration.seconds(28),
      memorySize: 1024,
    });
    drive.grantUse(this.searchDrive);
    documentReader.grantRead(this.searchDrive);
    jobs.grantHandOver(this.searchDrive);
  }

  /** Lets a function ask about any Drive folders: it must ask only about those of its caller's key. */
  grantAsk(fn: LambdaFunction): void {
    this.searchDrive.letInvoke(fn, 'SEARCH_DRIVE_FUNCTION');
  }
}

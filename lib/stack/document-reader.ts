import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import type { DriveAccount } from './drive-account.ts';
import type { JobTable } from './jobs/job-table.ts';

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

interface DriveSearchProps {
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

  /** Lets a function ask about any Drive folder. The function must ask only about folders that its caller's key has. */
  grantAsk(fn: LambdaFunction): void {
    this.searchDrive.letInvoke(fn, 'SEARCH_DRIVE_FUNCTION');
  }
}

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ServiceFunction } from './base/service-function.ts';
import type { Needs } from './parts.ts';

/** Makes the function that reads documents for others. It may do nothing but write its logs: strangers made the files. */
export const newDocumentReader = (scope: Construct): ServiceFunction =>
  new ServiceFunction(new Construct(scope, 'document-reader'), 'read-document', {
    description: 'Reads a document for another function',
    // Half of it to take a document apart, and the rest for its PDFs.
    timeout: Duration.seconds(60),
    memorySize: 2048,
  });

/** Makes the function that reads pages of the web. It may do nothing but write its logs: strangers choose the pages. */
export const newPageReader = (scope: Construct): ServiceFunction =>
  new ServiceFunction(new Construct(scope, 'pages'), 'read-page', {
    description: 'Reads a page of the web for another function',
    // Ten seconds to fetch a page, and the rest to make text of it.
    timeout: Duration.seconds(20),
    memorySize: 1024,
  });

/**
 * Makes the function that searches Drive folders, and has their documents read. The bucket of the jobs holds those that are
 * too large for an invocation. Its callers must ask only about folders that their caller's key has.
 */
export function newDriveSearch(
  scope: Construct,
  { drive, documentReader, jobs }: Needs<'drive' | 'documentReader' | 'jobs'>,
): ServiceFunction {
  const searchDrive = new ServiceFunction(new Construct(scope, 'drive-search'), 'search-drive', {
    description: 'Searches the Drive folders of a key, and has their documents read',
    // After 25 seconds the function returns what it has.
    timeout: Duration.seconds(28),
    memorySize: 1024,
  });
  drive.grantUse(searchDrive);
  documentReader.letInvoke(searchDrive);
  jobs.grantHandOver(searchDrive);
  return searchDrive;
}

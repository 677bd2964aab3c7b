import type { ExtractSpec } from '../../extract/spec.ts';
import type { Job } from '../job.ts';
import type { ExtractResult } from '../result.ts';

/** A document whose fields are there. */
export interface TableDocument {
  job: Pick<Job, 'job_id' | 'filename' | 'drive_file_id'>;
  result: ExtractResult;
}

/** A table on disk. */
export interface TableFile {
  suffix: `.extract.${string}`;
  mimeType: string;
  path: string;
}

export declare function writeTables(
  spec: ExtractSpec,
  documents: AsyncIterable<TableDocument>,
  folder: string,
): Promise<TableFile[]>;

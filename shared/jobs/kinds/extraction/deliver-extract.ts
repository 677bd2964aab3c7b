import { Readable } from 'node:stream';
import { newTempDir } from '../../../temp-dir.ts';
import type { Claimed } from '../../engine/item/job.ts';
import type { ExtractResult } from '../../results/result.ts';
import { deliver } from '../../sources/delivery.ts';
import { specOfJob } from './extract-input.ts';
import type { ExtractionJob } from './extraction-job.ts';
import { writeTables } from './tables.ts';

/** Writes fields beside their source on the drive, and their tables if they are wanted. */
export async function deliverExtract(job: Claimed<ExtractionJob>, result: ExtractResult) {
  const content = {
    suffix: '.extract.json',
    mimeType: 'application/json',
    text: `${JSON.stringify(result, null, 2)}\n`,
  } as const;
  if (!job.extract?.table) return deliver(job, content);
  await using folder = await newTempDir();
  // The step answers for the job that was submitted.
  const document = { job_id: job.parent_job_id ?? job.job_id, job, result };
  const tables = await writeTables(specOfJob(job), Readable.from([document]), folder.path);
  return await deliver(job, content, tables);
}

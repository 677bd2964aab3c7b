import { deliver } from '../files/delivery.ts';
import type { ClaimedJob } from '../job.ts';
import type { ExtractResult } from '../result.ts';

/** Writes fields beside their source on the drive, and their tables if they are wanted. */
export const deliverExtract = (job: ClaimedJob, result: ExtractResult) =>
  deliver(job, {
    suffix: '.extract.json',
    mimeType: 'application/json',
    text: `${JSON.stringify(result, null, 2)}\n`,
  });

import type { Claimed } from '../../engine/item/job.ts';
import { extractFields, keptFields } from './extract-fields.ts';
import type { ExtractionJob } from './extraction-job.ts';

/** Runs the step that takes fields from pages. */
export async function runExtraction(job: Claimed<ExtractionJob>, signal: AbortSignal) {
  return job.stop_reason ? keptFields(job) : extractFields(job, signal);
}

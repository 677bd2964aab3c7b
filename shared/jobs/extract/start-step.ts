import { createChildren } from '../children.ts';
import { type ClaimedJob, childIdOf, type Job } from '../job.ts';
import { attributesOf, newJob } from '../new-job.ts';
import type { OcrResult, PagesRead } from '../result.ts';
import type { RunEnd } from '../run-leased.ts';
import { suspendJob } from '../state.ts';
import { chatModelOf } from '../step-models.ts';
import { saveStep } from '../steps.ts';
import { tagJob } from '../waiting/fair-tags.ts';
import { findKeyOf } from '../watch.ts';
import { type ExtractPage, putPages } from './source-pages.ts';

/** The name of the step that says what reading the pages came to. */
export const readName = 'read';

/**
 * Makes the job that takes fields from pages, in the queue of chats. What reading the pages came to is kept first, for the
 * result of the two.
 */
export async function startExtractStep(
  job: ClaimedJob,
  read: PagesRead,
  pages: AsyncIterable<ExtractPage>,
): Promise<RunEnd> {
  await saveStep(job, readName, read);
  const job_id = childIdOf(job.job_id, 'extract');
  const document_object = await putPages({ key_id: job.key_id, job_id }, pages);
  const { weight = 1 } = (await findKeyOf(job)) ?? {};
  const step = await tagJob(extractStepOf(job, job_id, document_object), { weight });
  await createChildren(job, [{ job: step }], { chat_job_id: job_id });
  return () => suspendJob(job);
}

function extractStepOf(job: ClaimedJob, job_id: string, document_object: string): Job {
  return newJob({
    ...attributesOf(job, [
      'key_id',
      'input_type',
      'priority',
      'max_retries',
      'filename',
      'drive_file_id',
      'file_id',
      'drive_folder_id',
      'extract',
      'extract_schema',
      'metadata',
    ]),
    job_id,
    job_type: 'chat',
    model: chatModelOf({ job_type: job.job_type, model: job.asked_model ?? null }),
    parent_job_id: job.job_id,
    document_object,
  });
}

/** Returns what a result says of the reading of its pages. */
export const pagesReadOf = ({
  page_count,
  images_used,
  cost_usd,
  failed_pages,
  low_confidence_pages,
}: OcrResult): PagesRead => ({
  ...{ page_count, images_used, cost_usd },
  ...(failed_pages && { failed_pages }),
  ...(low_confidence_pages && { low_confidence_pages }),
});

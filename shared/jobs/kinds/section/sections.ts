import { limitsOfKey } from '../../../keys/key-limits.ts';
import { BudgetExceededError } from '../../../ledger/terms/limit-errors.ts';
import { taskAttributes } from '../../asked/task.ts';
import { createChildren } from '../../engine/children/children.ts';
import { type Claimed, findJob, type Job } from '../../engine/item/job.ts';
import { cancelPart, completeJob } from '../../engine/item/job-end.ts';
import { pauseJob, suspendJob } from '../../engine/item/job-wait.ts';
import { attributesOf, newJob } from '../../engine/item/new-job.ts';
import { endOfWait, jobErrorText } from '../../engine/run/failure.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { readKeyOf } from '../../engine/run/watch.ts';
import { tagSections } from '../../engine/waiting/fair-tags.ts';
import { latestTryMs } from '../../engine/waiting/retry-slots.ts';
import { pageSteps } from '../../reading/page-steps.ts';
import { readPages, returnImages } from '../../reading/read-pages.ts';
import { withDocument } from '../../sources/source-file.ts';
import type { Sourced } from '../../sources/source-job.ts';
import { type SectionJob, sectionIdOf, sectionKind } from './section-job.ts';

/** Makes a job for each section of pages, which any worker may take. The document's job waits for them. */
export async function splitIntoSections(
  job: Sourced,
  pageCount: number,
  pagesPerSection: number,
): Promise<RunEnd> {
  const count = Math.ceil(pageCount / pagesPerSection);
  const sections = Array.from({ length: count }, (_, index) => {
    const first = index * pagesPerSection + 1;
    return sectionOf(job, first, Math.min(pageCount, first + pagesPerSection - 1));
  });
  // A long document takes as many tags as a folder of as many files would, and no other key waits for all of it.
  const { weight } = limitsOfKey(await readKeyOf(job));
  const children = (await tagSections(sections, weight)).map((section) => ({ job: section }));
  await createChildren(job, children, { phase: 'sections', page_count: pageCount });
  return () => suspendJob(job);
}

function sectionOf(job: Sourced, first_page: number, last_page: number): Job {
  return newJob(sectionKind, {
    ...attributesOf(job, [
      ...taskAttributes,
      'input_type',
      'filename',
      'source_object',
      'source_kind',
      'content_sha256',
    ]),
    job_id: sectionIdOf(job.job_id, first_page),
    parent_job_id: job.job_id,
    first_page,
    last_page,
  });
}

/** Reads a section's pages, unless its document's job is over. */
export async function runSection(
  section: Claimed<SectionJob>,
  signal: AbortSignal,
): Promise<RunEnd> {
  const { first_page: first, last_page: last } = section;
  const range = { first, last };
  if (section.stop_reason) {
    await returnImages(section, await pageSteps(section, range));
    return () => completeJob(section);
  }
  const parentKey = { key_id: section.key_id, job_id: section.parent_job_id };
  const parent = await findJob(parentKey);
  const isWanted = parent?.status === 'processing' || parent?.status === 'queued';
  if (!isWanted) return () => cancelPart(section);
  try {
    const read = await withDocument(
      section,
      (document) => readPages(section, document, range, signal),
      signal,
    );
    return Array.isArray(read) ? () => completeJob(section) : read;
  } catch (error) {
    const untilMs = endOfWait(section, error);
    if (untilMs && !isHeldUp(error)) {
      await pauseJob(parentKey, jobErrorText(error), Math.min(untilMs, latestTryMs(section)));
    }
    throw error;
  }
}

/** Whether only other pages' holds are in the way: they end in a moment. */
const isHeldUp = (error: unknown) => error instanceof BudgetExceededError && error.isHeldUp;

import { openDocument } from '../../../documents/open-document.ts';
import { limitsOfKey } from '../../../keys/key-limits.ts';
import { BudgetExceededError } from '../../../ledger/terms/limit-errors.ts';
import { childrenOf, createChildren } from '../../engine/children/children.ts';
import { type ClaimedJob, findJob, type Job, sectionIdOf } from '../../engine/item/job.ts';
import { attributesOf, newJob, taskAttributes } from '../../engine/item/new-job.ts';
import { cancelSection, completeJob, pauseJob, suspendJob } from '../../engine/item/state.ts';
import { endOfWait, jobErrorText } from '../../engine/run/failure.ts';
import type { RunEnd } from '../../engine/run/run-leased.ts';
import { readKeyOf } from '../../engine/run/watch.ts';
import { tagSections } from '../../engine/waiting/fair-tags.ts';
import { latestTryMs } from '../../engine/waiting/retry-slots.ts';
import { pageSteps } from '../../reading/page-steps.ts';
import { readPages } from '../../reading/read-pages.ts';
import type { SourcedJob } from '../../sources/source.ts';
import { withFile } from '../../sources/source-file.ts';
import { hasPages } from '../../sources/workable.ts';
import { failWithPages, finishOcr } from '../document/finish.ts';

/*
 * A section is a job for a range of another job's pages, which begins with `part_` in its id. No caller sees it. It has
 * leases and retries like any other job.
 */

/** Makes a job for each so many pages, which any worker may take. The document's job waits for them. */
export async function splitIntoSections(
  job: SourcedJob,
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
  await createChildren(job, children, { page_count: pageCount });
  return () => suspendJob(job);
}

function sectionOf(job: SourcedJob, first_page: number, last_page: number): Job {
  return newJob({
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
export async function runSection(section: ClaimedJob, signal: AbortSignal): Promise<RunEnd> {
  const { source_object = '', source_kind = 'pdf', first_page = 1, last_page = 0 } = section;
  const parentKey = { key_id: section.key_id, job_id: section.parent_job_id ?? '' };
  const parent = await findJob(parentKey);
  const isWanted = parent?.status === 'processing' || parent?.status === 'queued';
  if (!isWanted || !hasPages(source_kind)) return () => cancelSection(section);
  const range = { first: first_page, last: last_page };
  try {
    return await withFile(
      source_object,
      async (path) => {
        const options = { forceOcr: section.force_ocr ?? false, turn: section.key_id };
        const document = await openDocument(path, source_kind, options);
        try {
          const read = await readPages(section, document, range, signal);
          return Array.isArray(read) ? () => completeJob(section) : read;
        } finally {
          document.close();
        }
      },
      signal,
    );
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

/** Ends a job whose sections have ended. If one of them failed, so does the job; it keeps what the others read. */
export async function finishSections(job: ClaimedJob): Promise<RunEnd> {
  const { page_count = 0 } = job;
  for await (const { status, error } of childrenOf(job)) {
    if (status !== 'done') return failWithPages(job, page_count, error ?? `a part was ${status}`);
  }
  const steps = await pageSteps(job, { first: 1, last: page_count });
  if (steps.length === page_count) return finishOcr(job, steps);
  // A section may have waited so long for a budget that pages of others have expired.
  const lost = page_count - steps.length;
  const error = `pages_forgotten: ${lost} of ${page_count} pages were read so long ago that they are no longer kept.`;
  return failWithPages(job, page_count, error);
}

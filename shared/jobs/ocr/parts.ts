import { openDocument } from '../../documents/open-document.ts';
import { limitsOfKey } from '../../keys/key-limits.ts';
import { BudgetExceededError } from '../../ledger/limit-errors.ts';
import { childrenOf, createChildren } from '../children.ts';
import { endOfWait, jobErrorText } from '../failure.ts';
import type { SourcedJob } from '../files/source.ts';
import { withFile } from '../files/source-file.ts';
import { type ClaimedJob, findJob, type Job, partIdOf } from '../job.ts';
import { hasPages } from '../kinds.ts';
import { latestTryMs } from '../line/places.ts';
import { takePartsTurns } from '../line/turns.ts';
import { attributesOf, newJob, taskAttributes } from '../new-job.ts';
import type { RunEnd } from '../run-leased.ts';
import { cancelPart, completeJob, pauseJob, suspendJob } from '../state.ts';
import { readKeyOf } from '../watch.ts';
import { failWithPages, finishOcr } from './finish.ts';
import { pageSteps } from './page-steps.ts';
import { readPages } from './pages.ts';

/*
 * A part is a job for a range of another job's pages. It is work of ours that no caller sees, with leases and
 * retries like any other.
 */

/** Makes a job for each so many pages, which any worker may take. The document's job waits for them. */
export async function splitIntoParts(
  job: SourcedJob,
  pageCount: number,
  pagesPerPart: number,
): Promise<RunEnd> {
  const count = Math.ceil(pageCount / pagesPerPart);
  const parts = Array.from({ length: count }, (_, index) => {
    const first = index * pagesPerPart + 1;
    return partOf(job, first, Math.min(pageCount, first + pagesPerPart - 1));
  });
  // A long document takes as many turns as a folder of its parts would, and no other key waits for all of it.
  const { weight } = limitsOfKey(await readKeyOf(job));
  const children = (await takePartsTurns(parts, weight)).map((part) => ({ job: part }));
  await createChildren(job, children, { page_count: pageCount });
  return () => suspendJob(job);
}

function partOf(job: SourcedJob, first_page: number, last_page: number): Job {
  return newJob({
    ...attributesOf(job, [
      ...taskAttributes,
      'input_type',
      'filename',
      'source_object',
      'source_kind',
      'content_sha256',
    ]),
    job_id: partIdOf(job.job_id, first_page),
    parent_job_id: job.job_id,
    first_page,
    last_page,
  });
}

/** Reads a part's pages, unless its document's job is over. */
export async function runPart(part: ClaimedJob, signal: AbortSignal): Promise<RunEnd> {
  const { source_object = '', source_kind = 'pdf', first_page = 1, last_page = 0 } = part;
  const parentKey = { key_id: part.key_id, job_id: part.parent_job_id ?? '' };
  const parent = await findJob(parentKey);
  const isWanted = parent?.status === 'processing' || parent?.status === 'queued';
  if (!isWanted || !hasPages(source_kind)) return () => cancelPart(part);
  const range = { first: first_page, last: last_page };
  try {
    return await withFile(
      source_object,
      async (path) => {
        const options = { forceOcr: part.force_ocr ?? false, turn: part.key_id };
        const document = await openDocument(path, source_kind, options);
        try {
          const read = await readPages(part, document, range, signal);
          return Array.isArray(read) ? () => completeJob(part) : read;
        } finally {
          document.close();
        }
      },
      signal,
    );
  } catch (error) {
    const untilMs = endOfWait(part, error);
    if (untilMs && !isHeldUp(error)) {
      await pauseJob(parentKey, jobErrorText(error), Math.min(untilMs, latestTryMs(part)));
    }
    throw error;
  }
}

/** Whether only other pages' holds are in the way: they end in a moment. */
const isHeldUp = (error: unknown) => error instanceof BudgetExceededError && error.isHeldUp;

/** Ends a job whose parts have ended. If one of them failed, so does the job; it keeps what the others read. */
export async function finishParts(job: ClaimedJob): Promise<RunEnd> {
  const { page_count = 0 } = job;
  for await (const { status, error } of childrenOf(job)) {
    if (status !== 'done') return failWithPages(job, page_count, error ?? `a part was ${status}`);
  }
  const steps = await pageSteps(job, { first: 1, last: page_count });
  if (steps.length === page_count) return finishOcr(job, steps);
  // A part may have waited so long for a budget that pages of other parts have expired.
  const lost = page_count - steps.length;
  const error = `pages_forgotten: ${lost} of ${page_count} pages were read so long ago that they are no longer kept.`;
  return failWithPages(job, page_count, error);
}

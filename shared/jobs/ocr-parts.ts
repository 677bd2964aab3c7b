import { openDocument } from '../documents/document.ts';
import { BudgetExceededError } from '../ledger/errors.ts';
import { childrenOf, createChildren } from './children.ts';
import { partIdOf } from './ids.ts';
import type { ClaimedJob, Job } from './job.ts';
import { isPaged } from './kinds.ts';
import { describe, endOfWait } from './lease.ts';
import { newJob } from './new-job.ts';
import { failWithPages, finishOcr } from './ocr-finish.ts';
import { readPages } from './ocr-pages.ts';
import { findJob } from './read.ts';
import type { SourcedJob } from './source.ts';
import { withFile } from './source-file.ts';
import { cancelPart, pauseParent, suspendJob } from './suspension.ts';
import { completeJob } from './transitions.ts';
import type { RunEnd } from './worker.ts';

/** Whether a job is a range of another one's pages: work of ours, which no caller sees. */
export const isPart = ({ first_page }: Job) => first_page !== undefined;

/** Makes a part of each so many pages, for any worker to take; the document's job waits for them. */
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
  const children = parts.map((part) => ({ job: part }));
  const made = await createChildren(job, children, { page_count: pageCount });
  if (!made) throw new Error('The lease was lost while the document was split');
  return () => suspendJob(job);
}

function partOf(job: SourcedJob, first_page: number, last_page: number): Job {
  const { key_id, job_type, model, input_type, priority, max_retries, filename } = job;
  const { asked_model, pipeline, force_ocr, source_object, source_kind } = job;
  return newJob({
    key_id,
    job_id: partIdOf(job.job_id, first_page),
    job_type,
    model,
    input_type,
    priority,
    max_retries,
    filename,
    parent_job_id: job.job_id,
    first_page,
    last_page,
    source_object,
    source_kind,
    ...(asked_model && { asked_model }),
    ...(pipeline && { pipeline }),
    ...(force_ocr && { force_ocr }),
  });
}

/** Reads a part's pages, unless its document's job is over. */
export async function runPart(part: ClaimedJob, signal: AbortSignal): Promise<RunEnd> {
  const { source_object = '', source_kind = 'pdf', first_page = 1, last_page = 0 } = part;
  const parentKey = { key_id: part.key_id, job_id: part.parent_job_id ?? '' };
  const parent = await findJob(parentKey);
  const isWanted = parent?.status === 'processing' || parent?.status === 'queued';
  if (!isWanted || !isPaged(source_kind)) return () => cancelPart(part);
  const range = { first: first_page, last: last_page };
  try {
    return await withFile(
      source_object,
      async (path) => {
        const document = await openDocument(path, source_kind);
        try {
          return (await readPages(part, document, range, signal)) ?? (() => completeJob(part));
        } finally {
          document.close();
        }
      },
      signal,
    );
  } catch (error) {
    const untilMs = endOfWait(part, error);
    if (untilMs && !isHeldUp(error)) await pauseParent(parentKey, describe(error), untilMs);
    throw error;
  }
}

/** What other pages hold is free again in a moment. */
const isHeldUp = (error: unknown) => error instanceof BudgetExceededError && error.isHeldUp;

/** The last part has ended: if one of them failed, so does the job, and keeps what the others read. */
export async function finishParts(job: ClaimedJob): Promise<RunEnd> {
  const { page_count = 0 } = job;
  for await (const { status, error } of childrenOf(job)) {
    if (status !== 'done') return failWithPages(job, page_count, error ?? `a part was ${status}`);
  }
  return finishOcr(job, page_count);
}

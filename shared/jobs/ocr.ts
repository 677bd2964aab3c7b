import { setting } from '../config.ts';
import { type Document, openDocument } from '../documents/document.ts';
import { ServiceError } from '../http/errors.ts';
import { runDocumentChat } from './document-chat.ts';
import { openInlineImages } from './inline-images.ts';
import type { ClaimedJob } from './job.ts';
import { canWorkOn, isPaged } from './kinds.ts';
import { describe, endOfWait, isPermanent } from './lease.ts';
import { failWithPages, finishOcr, finishPipeline } from './ocr-finish.ts';
import { readPages } from './ocr-pages.ts';
import { finishParts, isPart, runPart, splitIntoParts } from './ocr-parts.ts';
import type { JobResult } from './result.ts';
import { fetchSource, type SourcedJob, unsupported } from './source.ts';
import { withFile } from './source-file.ts';
import { haveChildrenEnded, suspendJob } from './suspension.ts';
import type { RunEnd, RunJob } from './worker.ts';

/** A document of more pages is read in parts, by as many workers as are free. */
const pagesPerPart = 50;

/**
 * Runs a job on a document's pages: reads those not read yet, then answers with their text, or hands it
 * to the pipeline's chat step. What was read before stays read.
 */
export const runOcrJob: RunJob = async (job, signal) => {
  if (isPart(job)) return runPart(job, signal);
  if (job.chat_job_id) return haveChildrenEnded(job) ? finishPipeline(job) : () => suspendJob(job);
  // Known once every part was made: a worker may have died between the first and the last.
  if (job.page_count) return haveChildrenEnded(job) ? finishParts(job) : () => suspendJob(job);
  if (job.input_type === 'inline') return readInline(job, signal);
  const sourced = await fetchSource(job, signal);
  const kind = sourced.source_kind;
  if (!canWorkOn(job, kind)) throw unsupported(sourced.filename, kind, adviceFor(job));
  if (!isPaged(kind)) return runDocumentChat(sourced, signal);
  return readDocument(sourced, kind, signal);
};

const adviceFor = ({ job_type }: ClaimedJob) =>
  job_type === 'ocr' ? ': OCR reads PDF and images; use job_type chat or auto' : '';

function readDocument(
  job: SourcedJob,
  kind: 'pdf' | 'image',
  signal: AbortSignal,
): Promise<JobResult | RunEnd> {
  return withFile(
    job.source_object,
    async (path) => {
      const document = await openDocument(path, kind);
      try {
        checkLength(document.pageCount, job.filename);
        if (document.pageCount > pagesPerPart) {
          return await splitIntoParts(job, document.pageCount, pagesPerPart);
        }
        return await readWhole(job, document, signal);
      } finally {
        document.close();
      }
    },
    signal,
  );
}

async function readInline(job: ClaimedJob, signal: AbortSignal): Promise<JobResult | RunEnd> {
  const images = await openInlineImages(job);
  try {
    checkLength(images.pageCount, 'the message');
    return await readWhole(job, images, signal);
  } finally {
    images.close();
  }
}

async function readWhole(
  job: ClaimedJob,
  document: Document,
  signal: AbortSignal,
): Promise<JobResult | RunEnd> {
  const range = { first: 1, last: document.pageCount };
  try {
    const stopped = await readPages(job, document, range, signal);
    return stopped ?? (await finishOcr(job, document.pageCount));
  } catch (error) {
    if (signal.aborted || !isLast(job, error)) throw error;
    return failWithPages(job, document.pageCount, describe(error));
  }
}

/** Whether nothing comes after this error: what was read by then is the job's result. */
const isLast = (job: ClaimedJob, error: unknown) =>
  isPermanent(error) || (job.retry_count >= job.max_retries && !endOfWait(job, error));

function checkLength(pageCount: number, name: string): void {
  const { pages } = setting('DOCUMENT_LIMITS');
  if (pageCount <= pages) return;
  throw new ServiceError(
    422,
    'too_many_pages',
    `${name} has ${pageCount} pages, more than the ${pages} that a document may have.`,
  );
}

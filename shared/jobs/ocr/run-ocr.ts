import { setting } from '../../config.ts';
import type { Document } from '../../documents/document.ts';
import { unsupportedFile } from '../../documents/errors.ts';
import { type OpenableKind, openDocument } from '../../documents/open-document.ts';
import { kindInWords } from '../../documents/type-words.ts';
import { ServiceError } from '../../http/errors.ts';
import { chatAboutFile } from '../chat/document-chat.ts';
import { keptAnswers } from '../chat/kept-answers.ts';
import { isLast, jobErrorText, logFault } from '../failure.ts';
import { fetchSource, type SourcedJob } from '../files/source.ts';
import { withFile } from '../files/source-file.ts';
import { type ClaimedJob, isPart } from '../job.ts';
import { canWorkOn, hasPages, isPaged } from '../kinds.ts';
import type { JobResult } from '../result.ts';
import type { RunEnd, RunJob } from '../run-leased.ts';
import { haveChildrenEnded, suspendJob } from '../state.ts';
import { failWithPages, finishOcr, finishPipeline } from './finish.ts';
import { openInlineDocuments } from './inline-documents.ts';
import { keptPages } from './kept-pages.ts';
import { keepParts } from './page-texts.ts';
import { readPages } from './pages.ts';
import { finishParts, runPart, splitIntoParts } from './parts.ts';

/** A document of more pages is read in parts, by as many workers as are free. */
const pagesPerPart = 50;

/**
 * Runs a job on a document's pages: reads those that were not read yet, then its result is their text, or
 * goes to the pipeline's chat step. A page that was read stays read.
 */
export const runOcrJob: RunJob = async (job, signal) => {
  if (job.stop_reason) return keptWork(job);
  switch (phaseOf(job)) {
    case 'part':
      return runPart(job, signal);
    case 'pipeline end':
      return haveChildrenEnded(job) ? finishPipeline(job) : () => suspendJob(job);
    case 'parts end':
      return haveChildrenEnded(job) ? finishParts(job) : () => suspendJob(job);
    case 'fresh':
      return job.input_type === 'inline' ? readInline(job, signal) : readFile(job, signal);
  }
};

/** What a stopped job came to: an `auto` job may have turned out to be a chat, also about what was taken apart. */
async function keptWork(job: ClaimedJob): Promise<JobResult | RunEnd> {
  const { source_kind: kind } = job;
  if (!kind || isPaged(kind)) return keptPages(job);
  const answers = await keptAnswers(job);
  return hasPages(kind) && typeof answers === 'function' ? keptPages(job) : answers;
}

/**
 * What a claimed job is to do. Both ends come with the last child; a worker that died before it suspended
 * the job leads there too soon. The order counts: a pipeline's chat step comes after its document's parts.
 */
function phaseOf(job: ClaimedJob): 'part' | 'pipeline end' | 'parts end' | 'fresh' {
  if (isPart(job)) return 'part';
  if (job.chat_job_id) return 'pipeline end';
  // Written together with the last of the parts.
  return job.page_count ? 'parts end' : 'fresh';
}

async function readFile(job: ClaimedJob, signal: AbortSignal): Promise<JobResult | RunEnd> {
  const sourced = await fetchSource(job, signal);
  const kind = sourced.source_kind;
  if (!canWorkOn(job, kind)) {
    throw unsupportedFile(sourced.filename, kindInWords(kind), adviceFor(job));
  }
  return (
    (hasPages(kind) && (await readDocument(sourced, kind, signal))) ||
    chatAboutFile(sourced, signal)
  );
}

const adviceFor = ({ job_type }: ClaimedJob) =>
  job_type === 'ocr' ? ' by OCR: use job_type chat or auto' : '';

/** Reads a document. Returns undefined if an `auto` job is to chat about it, since it is all text. */
function readDocument(
  job: SourcedJob,
  kind: OpenableKind,
  signal: AbortSignal,
): Promise<JobResult | RunEnd | undefined> {
  return withFile(
    job.source_object,
    async (path) => {
      const options = { forceOcr: job.force_ocr ?? false, turn: job.key_id };
      const document = await openDocument(path, kind, options);
      try {
        if (job.job_type === 'auto' && document.isText) return undefined;
        checkLength(document.pageCount, job.filename);
        await keepParts(job, document);
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
  const { document, content_sha256 } = await openInlineDocuments(job);
  try {
    checkLength(document.pageCount, 'the message');
    await keepParts(job, document);
    return await readWhole({ ...job, content_sha256 }, document, signal);
  } finally {
    document.close();
  }
}

async function readWhole(
  job: ClaimedJob,
  document: Document,
  signal: AbortSignal,
): Promise<JobResult | RunEnd> {
  const range = { first: 1, last: document.pageCount };
  try {
    const read = await readPages(job, document, range, signal);
    return Array.isArray(read) ? await finishOcr(job, read) : read;
  } catch (error) {
    if (signal.aborted || !isLast(job, error)) throw error;
    // What was read by then is the job's result.
    logFault(job, error);
    return failWithPages(job, document.pageCount, jobErrorText(error));
  }
}

function checkLength(pageCount: number, name: string): void {
  const { pages } = setting('DOCUMENT_LIMITS');
  if (pageCount <= pages) return;
  throw new ServiceError(
    422,
    'too_many_pages',
    `${name} has ${pageCount} pages, more than the ${pages} that a document may have.`,
  );
}

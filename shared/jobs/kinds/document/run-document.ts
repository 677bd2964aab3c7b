import { Readable } from 'node:stream';
import { type Claimed, roomOf } from '../../engine/item/job.ts';
import { haveChildrenEnded, suspendJob } from '../../engine/item/job-wait.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import type { JobResult } from '../../results/result.ts';
import { warningsOfTexts } from '../../results/warnings.ts';
import { fetchSource } from '../../sources/source.ts';
import { readSourceText } from '../../sources/source-file.ts';
import { hasPages, isPaged, readsPages, type Sourced } from '../../sources/source-job.ts';
import { finishPipeline } from '../answer/pipeline.ts';
import { keptAnswers } from '../chat/kept-answers.ts';
import { chatAboutFile } from '../chat/run-chat.ts';
import { finishExtract, startExtractStep, stoppedExtract } from '../extraction/extract-step.ts';
import { pagesOfTexts } from '../extraction/pages-of-document.ts';
import type { DocumentJob, ReadDocument, UnsplitDocument } from './document-job.ts';
import { failWithPages, finishSections, keptPages } from './finish.ts';
import { readDocument, readInline } from './read-document.ts';

/** Runs a document's job: reads its pages, each once; then its result is their text, or the next step begins. */
export async function runDocument(
  job: Claimed<DocumentJob>,
  signal: AbortSignal,
): Promise<JobResult | RunEnd> {
  if (job.stop_reason) return keptWork(job);
  if (job.phase === 'reading') {
    return job.input_type === 'inline' ? readInline(job, signal) : readFile(job, signal);
  }
  // A worker that died before it suspended the job leads here before its children have ended.
  if (!haveChildrenEnded(job)) return () => suspendJob(job);
  return job.phase === 'sections' ? finishSections(job) : finishStep(job);
}

async function finishStep(job: Claimed<ReadDocument>): Promise<RunEnd> {
  if (!job.extract) return finishPipeline(job);
  const end = await finishExtract(job);
  return 'error' in end ? failWithPages(job, end.pageCount, end.error) : end;
}

/** Returns the result of a stopped job. An `auto` job may be a chat by then, also about a document taken apart. */
async function keptWork(job: Claimed<DocumentJob>): Promise<JobResult | RunEnd> {
  const { source_kind: kind } = job;
  if (job.extract) return (job.phase === 'step' && (await stoppedExtract(job))) || keptPages(job);
  if (!kind || isPaged(kind) || (readsPages(job, kind) && !hasPages(kind))) return keptPages(job);
  const answers = await keptAnswers(job);
  return hasPages(kind) && typeof answers === 'function' ? keptPages(job) : answers;
}

async function readFile(
  job: Claimed<UnsplitDocument>,
  signal: AbortSignal,
): Promise<JobResult | RunEnd> {
  const sourced = await fetchSource(job, signal);
  const kind = sourced.source_kind;
  return (
    (readsPages(job, kind) && (await readDocument(sourced, signal))) ||
    (job.extract && (await extractFromText(sourced, signal))) ||
    chatAboutFile(sourced, signal)
  );
}

/** Takes fields from a text, which needs no reading. */
async function extractFromText(job: Sourced, signal: AbortSignal): Promise<RunEnd> {
  using room = await roomOf(job, 0);
  const read = await readSourceText(job, room, signal);
  const pages = await Array.fromAsync(pagesOfTexts([{ text: read.text }]));
  const warnings = warningsOfTexts([read]);
  const pagesRead = {
    page_count: pages.length,
    images_used: 0,
    cost_usd: 0,
    ...(warnings.length > 0 && { warnings }),
  };
  return await startExtractStep(job, pagesRead, Readable.from(pages));
}

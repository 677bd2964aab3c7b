import { type ClaimedJob, isSection } from '../../engine/item/job.ts';
import { haveChildrenEnded, suspendJob } from '../../engine/item/state.ts';
import type { RunEnd, RunJob } from '../../engine/run/run-leased.ts';
import type { JobResult } from '../../results/result.ts';
import { fetchSource } from '../../sources/source.ts';
import { hasPages, isPaged, readsPages } from '../../sources/workable.ts';
import { finishPipeline } from '../answer/pipeline.ts';
import { chatAboutFile } from '../chat/document-chat.ts';
import { keptAnswers } from '../chat/kept-answers.ts';
import { finishExtract, stoppedExtract } from '../extraction/finish-step.ts';
import { extractFromText } from '../extraction/text-file.ts';
import { finishSections, runSection } from '../section/sections.ts';
import { keptPages } from './finish.ts';
import { readDocument, readInline } from './read-document.ts';

/**
 * Runs a job on a document's pages: reads those that were not read yet, then its result is their text, or
 * goes to the pipeline's chat step. A page that was read stays read.
 */
export const runOcrJob: RunJob = async (job, signal) => {
  if (job.stop_reason) return keptWork(job, signal);
  switch (phaseOf(job)) {
    case 'section':
      return runSection(job, signal);
    case 'pipeline end':
      return haveChildrenEnded(job) ? finishStep(job) : () => suspendJob(job);
    case 'sections end':
      return haveChildrenEnded(job) ? finishSections(job) : () => suspendJob(job);
    case 'fresh':
      return job.input_type === 'inline' ? readInline(job, signal) : readFile(job, signal);
  }
};

const finishStep = (job: ClaimedJob) => (job.extract ? finishExtract(job) : finishPipeline(job));

/** What a stopped job came to: an `auto` job may have turned out to be a chat, also about what was taken apart. */
async function keptWork(job: ClaimedJob, signal: AbortSignal): Promise<JobResult | RunEnd> {
  const { source_kind: kind } = job;
  if (job.extract && !isSection(job)) return stoppedExtract(job);
  if (!kind || isPaged(kind) || (readsPages(job, kind) && !hasPages(kind))) return keptPages(job);
  const answers = await keptAnswers(job, signal);
  return hasPages(kind) && typeof answers === 'function' ? keptPages(job) : answers;
}

/**
 * What a claimed job is to do. Both ends come with the last child; a worker that died before it suspended
 * the job leads there too soon. The order counts: a pipeline's chat step comes after its document's sections.
 */
function phaseOf(job: ClaimedJob): 'section' | 'pipeline end' | 'sections end' | 'fresh' {
  if (isSection(job)) return 'section';
  if (job.chat_job_id) return 'pipeline end';
  // Written together with the last of the sections.
  return job.page_count ? 'sections end' : 'fresh';
}

async function readFile(job: ClaimedJob, signal: AbortSignal): Promise<JobResult | RunEnd> {
  const sourced = await fetchSource(job, signal);
  const kind = sourced.source_kind;
  return (
    (readsPages(job, kind) && (await readDocument(sourced, kind, signal))) ||
    (job.extract && (await extractFromText(sourced, signal))) ||
    chatAboutFile(sourced, signal)
  );
}

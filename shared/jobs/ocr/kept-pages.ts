import { type ClaimedJob, findJob, isPart } from '../job.ts';
import { keptResult } from '../objects.ts';
import type { ChatResult, JobResult, PipelineResult } from '../result.ts';
import type { RunEnd } from '../run-leased.ts';
import { completeJob } from '../state.ts';
import { ocrResultOf, resultOf } from './finish.ts';
import { pageSteps } from './page-steps.ts';
import { returnImages } from './pages.ts';

/** Ends a job that was stopped with the pages that were read by then, which were paid for. */
export async function keptPages(job: ClaimedJob): Promise<JobResult | RunEnd> {
  const { first_page: first = 1, last_page: last = maxPage } = job;
  const steps = await pageSteps(job, { first, last });
  await returnImages(job, steps);
  if (isPart(job)) return () => completeJob(job);
  if (job.chat_job_id) return keptPipeline(job, job.chat_job_id);
  const pageCount = job.page_count ?? job.progress?.total ?? steps.at(-1)?.page ?? 0;
  if (steps.length === 0) return () => completeJob(job);
  return resultOf(job, await ocrResultOf(job, steps, pageCount), null);
}

/** More than any document may have. */
const maxPage = 99_999;

/** The result of a pipeline that was stopped in its chat step, which may have been answered yet. */
async function keptPipeline(job: ClaimedJob, job_id: string): Promise<JobResult> {
  const { ocr } = JSON.parse((await keptResult(job)) ?? '{}') as PipelineResult;
  const step = await findJob({ key_id: job.key_id, job_id });
  const chat = step && ((await keptResult(step)) ?? null);
  return resultOf(job, ocr, chat ? (JSON.parse(chat) as ChatResult) : null);
}

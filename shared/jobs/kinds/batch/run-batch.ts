import type { Claimed } from '../../engine/item/job.ts';
import { saveProgress } from '../../engine/item/job-lease.ts';
import { noteProgress } from '../../engine/item/progress.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { fetchSource } from '../../sources/source.ts';
import { maxBatchBytes } from '../requests/file-line.ts';
import { countLines, type RequestFile, withRequests } from '../requests/request-file.ts';
import { answerLines, unlessTimeIsUp } from '../requests/run-requests.ts';
import type { BatchJob } from './batch-job.ts';
import { checkLines } from './check-lines.ts';
import { endBatch, endStoppedBatch, orKept } from './end-batch.ts';
import { noteRestDone } from './upstream/parts.ts';
import { runHanded, stillWaiting, waitForUpstream } from './upstream/run-handed.ts';

/** Runs a batch: checks all its lines, then asks them, here or in a batch of their model's upstream. */
export async function runBatch(claimed: Claimed<BatchJob>, signal: AbortSignal): Promise<RunEnd> {
  const job = await fetchSource(claimed, signal, { maxBytes: maxBatchBytes, kind: 'jsonl' });
  if (job.stop_reason) return withRequests(job, signal, endStoppedBatch);
  const waiting = await stillWaiting(job, signal);
  if (!waiting) return withRequests(job, signal, (file) => orKept(file, () => runLines(file)));
  const { done = 0, total = 0, failed = 0 } = job.progress ?? {};
  const { counts } = waiting;
  noteProgress(job, {
    done: Math.max(done, counts.completed),
    total,
    failed: Math.max(failed, counts.failed),
    unit: 'lines',
  });
  return waiting.end;
}

async function runLines(file: RequestFile<BatchJob>): Promise<RunEnd> {
  const { job } = file;
  if (!job.in_progress_at) return beginBatch(file);
  const total = await countLines(file, true);
  return unlessTimeIsUp(file, async () => {
    const run = await runHanded(file);
    await answerLines(file, total, run);
    if (run.isOpen && !run.handed.isRestDone) await noteRestDone(job);
    if (run.isOpen) return waitForUpstream(job, run.handed);
    if (run.lacking) throw run.lacking;
    return endBatch(file);
  });
}

/** Begins a batch once all its lines are found good. */
async function beginBatch(file: RequestFile<BatchJob>): Promise<RunEnd> {
  const checked = await checkLines(file);
  if ('end' in checked) return checked.end;
  noteProgress(file.job, { done: 0, total: checked.total, failed: 0, unit: 'lines' });
  return runLines({ ...file, job: await saveProgress(file.job, checked.begun) });
}

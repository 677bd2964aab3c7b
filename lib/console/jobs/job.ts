import type { JobStatus, Progress } from '../../../shared/jobs/engine/item/status.ts';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { get } from '../api/call.ts';
import { count } from '../parts/format.ts';

/** A job as the routes of jobs show it. */
export type Job = JobRecord;

/** Reads a job. */
export const readJob = (id: string, signal?: AbortSignal) =>
  get<Job>(`/batch/jobs/${encodeURIComponent(id)}`, signal);

export const hasEnded = ({ status }: Job) => status !== 'queued' && status !== 'processing';

/** Whether a job is a folder's, which is done once its files' jobs are. */
export const isFolder = ({ input_type }: Job) => input_type === 'drive_folder';

/** Names what a job works on. */
export function titleOf(job: Job): string {
  if (job.filename) return job.filename;
  if (isFolder(job)) return `Folder ${job.drive_folder_id}`;
  return job.job_type === 'ocr' ? 'Images' : 'Message';
}

const byName = new Intl.Collator('en', { numeric: true });

/** Orders jobs by what they work on. */
export const byTitle = (a: Job, b: Job) => byName.compare(titleOf(a), titleOf(b));

/** Names what is done with it: with all its steps, if it has some. */
export function kindOf({ job_type, pipeline, extract, batch_id }: Job): string {
  if (batch_id) return 'batch';
  if (pipeline) return 'read, then answer';
  if (extract) return 'read, then fields';
  return { ocr: 'read', chat: 'answer', auto: 'read or answer' }[job_type];
}

/** What a job has cost; undefined until its result says so. */
export const costOf = ({ result }: Job) =>
  result && 'cost_usd' in result ? result.cost_usd : undefined;

/** A step of a job that reads first, and then answers or takes fields. */
export interface Step {
  name: 'read' | 'answer' | 'fields';
  status: JobStatus;
  cost: number | undefined;
}

/** Returns where the steps of a document's job stand, as far as its record tells. */
export function stepsOf(job: Job): Step[] {
  const { status, result, progress, extract, pipeline, parent_job_id } = job;
  const isRead = result?.type === 'pipeline' || (result?.type === 'extract' && result.ocr !== null);
  const hasRead = isRead || (progress ? progress.done + progress.failed >= progress.total : false);
  // The record of a step has none of its own, and one that failed may not tell in which.
  if (isFolder(job) || !(extract || pipeline) || (hasEnded(job) && !isRead)) return [];
  if (parent_job_id && extract && result?.type === 'extract' && !result.ocr) return [];
  const read = isRead ? result.ocr?.cost_usd : undefined;
  const all = costOf(job);
  return [
    { name: 'read', status: hasRead ? 'done' : status, cost: read },
    {
      name: pipeline ? 'answer' : 'fields',
      status: hasRead ? status : 'queued',
      cost: all !== undefined && read !== undefined ? all - read : undefined,
    },
  ];
}

/** `41 of 120 files, 2 failed`. */
export function progressText({ done, total, failed, unit }: Progress): string {
  const text = `${count(done)} of ${count(total)} ${unit}`;
  return failed > 0 ? `${text}, ${count(failed)} failed` : text;
}

/** Says in words how a job's error begins: `file_too_large: The file …` is a code and a sentence. */
export const wordsOf = (error: string) => error.replace(/^[a-z_]+: /, '');

/** A folder's files, as its result counts them. */
export function filesText(job: Job): string | undefined {
  if (job.result?.type !== 'folder') return undefined;
  const { found, done, failed, skipped, unsupported } = job.result.files;
  const others: [number, string][] = [
    [failed, 'failed'],
    [skipped, 'skipped'],
    [unsupported, 'not supported'],
  ];
  return [
    `${count(done)} of ${count(found)} files`,
    ...others.filter(([files]) => files > 0).map(([files, word]) => `${count(files)} ${word}`),
  ].join(', ');
}

import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { count } from '../parts/format.ts';

/** How far a job has come, as its record says while it runs. */
export interface Progress {
  done: number;
  total: number;
  failed: number;
  unit: string;
}

/** A job as the routes of jobs show it. */
export type Job = JobRecord & {
  progress?: Progress | null;
  drive_file_id?: string | null;
  /** The ended job that this one tries again. */
  retry_of?: string | null;
};

export const hasEnded = ({ status }: Job) => status !== 'queued' && status !== 'processing';

/** Names what a job works on. */
export function titleOf({ filename, input_type, drive_folder_id, job_type, extract }: Job): string {
  if (filename) return filename;
  if (input_type === 'drive_folder') return `Folder ${drive_folder_id}`;
  if (extract) return 'Fields';
  return job_type === 'chat' ? 'Chat' : 'Images';
}

/** Names what is done: its type, or both steps of a pipeline or an extraction. */
export function kindOf({ job_type, pipeline, extract, input_type, batch_id }: Job): string {
  if (batch_id) return 'batch';
  const kind = pipeline ? 'ocr, then chat' : extract ? 'ocr, then fields' : job_type;
  return input_type === 'drive_folder' ? `folder, ${kind}` : kind;
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

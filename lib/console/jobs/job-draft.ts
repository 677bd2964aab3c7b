import { signal } from '@preact/signals';
import type { Job } from './job.ts';

/** A job as it is being written. */
export interface JobDraft {
  source: 'message' | 'file' | 'folder';
  message: string;
  /** The id of the file or folder on the drive. */
  driveId: string;
  jobType: 'auto' | 'chat' | 'ocr';
  /** Empty for the default one. */
  model: string;
  withInstruction: boolean;
  instruction: string;
  priority: number;
}

const blank: JobDraft = {
  source: 'message',
  message: '',
  driveId: '',
  jobType: 'auto',
  model: '',
  withInstruction: false,
  instruction: '',
  priority: 10,
};

export const jobDraft = signal<JobDraft>(blank);

/** The messages of jobs that were submitted from this page, by the jobs' ids: a record doesn't show them. */
const submitted = new Map<string, string>();

/** Notes a job that was submitted, and begins the next one. */
export function noteSubmitted(id: string): void {
  submitted.set(id, jobDraft.value.message);
  jobDraft.value = blank;
}

/** What the form calls the input of a job. It makes none of an uploaded file. */
const sources = {
  drive_file: 'file',
  drive_folder: 'folder',
  inline: 'message',
  file: 'message',
} as const;

/** Writes a job like another one. */
export function draftOf(job: Job): JobDraft {
  const { id, input_type, drive_folder_id, drive_file_id, job_type, model, priority } = job;
  const source = sources[input_type];
  return {
    ...blank,
    source,
    message: submitted.get(id) ?? '',
    driveId: (source === 'folder' ? drive_folder_id : drive_file_id) ?? '',
    jobType: job_type,
    model: source === 'folder' ? '' : model,
    withInstruction: job.pipeline !== null,
    instruction: job.pipeline_instruction ?? '',
    priority,
  };
}

/** Makes the body of `POST /batch/jobs`. */
export function submissionOf(draft: JobDraft): object {
  const { source, message, driveId, jobType, model, withInstruction, instruction } = draft;
  const common = { priority: draft.priority, ...(model && { model }) };
  if (source === 'message') {
    return {
      ...common,
      job_type: 'chat',
      inline: { messages: [{ role: 'user', content: message }] },
    };
  }
  return {
    ...common,
    job_type: withInstruction ? 'ocr' : jobType,
    drive: { [`${source}_id`]: driveId.trim() },
    ...(withInstruction && { pipeline: 'ocr_then_chat', pipeline_instruction: instruction }),
  };
}

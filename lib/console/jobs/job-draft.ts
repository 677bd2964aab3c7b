import { signal } from '@preact/signals';
import type { Job } from './job.ts';

/** A job as it is being written. */
export interface JobDraft {
  source: 'message' | 'file' | 'folder';
  message: string;
  /** The id of the file or folder on the drive, or of an uploaded file. */
  driveId: string;
  jobType: 'auto' | 'chat' | 'ocr';
  /** Empty for the default one. */
  model: string;
  nextStep: 'nothing' | 'answer' | 'fields';
  instruction: string;
  /** The fields to extract: a schema, or an example, as JSON. */
  fields: string;
  requireEvidence: boolean;
  priority: number;
}

const blank: JobDraft = {
  source: 'message',
  message: '',
  driveId: '',
  jobType: 'auto',
  model: '',
  nextStep: 'nothing',
  instruction: '',
  fields: '',
  requireEvidence: false,
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

/** What the form calls the input of a job. */
const sources = {
  drive_file: 'file',
  drive_folder: 'folder',
  inline: 'message',
  file: 'file',
} as const;

/** Begins a job of an uploaded file. */
export function draftJobOf(fileId: string): void {
  jobDraft.value = { ...blank, source: 'file', driveId: fileId };
}

/** Writes a job like another one. */
export function draftOf(job: Job): JobDraft {
  const { id, input_type, drive_folder_id, drive_file_id, file_id, job_type, model, priority } =
    job;
  const { pipeline, pipeline_instruction, extract } = job;
  const source = sources[input_type];
  return {
    ...blank,
    source,
    message: submitted.get(id) ?? '',
    driveId: (source === 'folder' ? drive_folder_id : (drive_file_id ?? file_id)) ?? '',
    jobType: job_type,
    model: source === 'folder' ? '' : model,
    nextStep: extract ? 'fields' : pipeline ? 'answer' : 'nothing',
    instruction: pipeline_instruction ?? '',
    fields: extract ? JSON.stringify(extract.schema, null, 2) : '',
    requireEvidence: extract?.require_evidence ?? false,
    priority,
  };
}

/** Makes the body of `POST /batch/jobs`. Throws an error in words for fields that are no JSON. */
export function submissionOf(draft: JobDraft): object {
  const { source, message, driveId, jobType, model, nextStep, instruction } = draft;
  const common = { priority: draft.priority, ...(model && { model }) };
  if (source === 'message') {
    return {
      ...common,
      job_type: 'chat',
      inline: { messages: [{ role: 'user', content: message }] },
    };
  }
  const id = driveId.trim();
  return {
    ...common,
    job_type: nextStep === 'nothing' ? jobType : 'ocr',
    ...(id.startsWith('file-') ? { file_id: id } : { drive: { [`${source}_id`]: id } }),
    ...(nextStep === 'answer' && { pipeline: 'ocr_then_chat', pipeline_instruction: instruction }),
    ...(nextStep === 'fields' && { extract: extractOf(draft) }),
  };
}

function extractOf({ fields, requireEvidence }: JobDraft): object {
  const given = parsed(fields);
  // An example with a field of the name `properties` is to be written as a schema.
  const isSchema = typeof given === 'object' && given !== null && 'properties' in given;
  return {
    ...(isSchema ? { schema: given } : { example: given }),
    ...(requireEvidence && { require_evidence: true }),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Error(`The fields are no JSON: ${(error as Error).message}`);
  }
}

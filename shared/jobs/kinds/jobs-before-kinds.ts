import { isPart, type Job } from '../engine/item/job.ts';

/** Of the attributes of jobs of version 1.0, which had no kind, those that told what a job was. */
interface JobBefore extends Job {
  endpoint?: string;
  document_object?: string;
  pipeline?: string;
  extract?: object;
  chat_job_id?: string;
  page_count?: number;
  page_token?: string;
}

/** Returns the kind of a job that was made before jobs had one. */
export function kindBefore(job: JobBefore) {
  if (isPart(job)) return 'section';
  if (job.endpoint) return 'batch';
  if (job.input_type === 'drive_folder') return 'folder';
  if (job.document_object) return job.extract ? 'extraction' : 'answer';
  return job.job_type === 'chat' && !job.pipeline && !job.extract ? 'chat' : 'document';
}

/** Returns the phase of a job that was made before jobs had one. A document's sections come before its step. */
export function phaseBefore(kind: string, { chat_job_id, page_count, page_token }: JobBefore) {
  if (kind === 'folder') return page_token === '' ? 'files' : 'listing';
  if (kind !== 'document') return undefined;
  if (chat_job_id) return 'step';
  return page_count ? 'sections' : 'reading';
}

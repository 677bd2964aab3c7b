import type { Job } from '../../engine/item/job.ts';

/** A job that is a batch. */
export type BatchJob = Job & Required<Pick<Job, 'endpoint' | 'file_id' | 'window_ends_at'>>;

/** Whether a job is a batch. */
export const isBatch = (job: Job): job is BatchJob => job.endpoint !== undefined;

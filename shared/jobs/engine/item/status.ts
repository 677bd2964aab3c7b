import * as v from 'valibot';
import { Count } from '../../../http/schema.ts';

/** How a job ends. */
export const endStatuses = ['done', 'failed', 'cancelled'] as const;
export type EndStatus = (typeof endStatuses)[number];

export const isEnd = (status: string): status is EndStatus =>
  (endStatuses as readonly string[]).includes(status);

/** Where a job stands. */
export const jobStatuses = ['queued', 'processing', ...endStatuses] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** How far a job has come, while it isn't over: `done` went well. */
export const Progress = v.object({
  done: Count,
  total: Count,
  failed: Count,
  unit: v.picklist(['pages', 'files', 'lines', 'windows']),
});

export type Progress = v.InferOutput<typeof Progress>;

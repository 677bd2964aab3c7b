import type { Job } from '../engine/item/job.ts';
import { runAttributes } from '../engine/item/new-job.ts';
import type { Extracting } from './extract-task.ts';

/** What is asked of a document, or of each file of a folder. */
export interface Task extends Extracting {
  pipeline?: string;
  pipeline_instruction?: string;
  force_ocr?: boolean;
  fresh?: boolean;
}

/** What a job that does some of it, or does it once more, takes over. */
export const taskAttributes = [
  ...runAttributes,
  'pipeline',
  'extract',
  'force_ocr',
  'fresh',
] as const satisfies (keyof (Job & Task))[];

/** Whether a task has pages read, rather than a text put to a model as it is. Of `auto` that shows only later. */
export const isRead = ({
  job_type,
  pipeline,
  extract,
}: Pick<Job & Task, 'job_type' | 'pipeline' | 'extract'>) =>
  job_type !== 'chat' || Boolean(pipeline || extract);

/** What decides which models a job with a task runs on, as it was submitted. */
export const askedOf = ({ job_type, asked_model, pipeline, extract }: Job & Task) => ({
  job_type,
  model: asked_model ?? null,
  pipeline: pipeline ?? null,
  extract,
});

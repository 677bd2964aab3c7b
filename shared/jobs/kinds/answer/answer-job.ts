import { chatModelOf } from '../../asked/task.ts';
import type { Kind } from '../../engine/item/kind.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { sourceLinksOf } from '../../sources/source-links.ts';

/** The chat step of a pipeline: it asks a model about pages that another job has read. */
export interface AnswerJob extends SourceJob {
  kind: 'answer';
  /** The object that holds the pages, as JSON. */
  document_object: string;
}

export const answerKind = {
  name: 'answer',
  job: undefined as AnswerJob | undefined,
  queue: 'chat',
  modelsOf: ({ model }) => [chatModelOf({ job_type: 'chat', model })],
  retried: ['document_object'],
  traces: ['document_object'],
  linksOf: sourceLinksOf,
} as const satisfies Kind<AnswerJob>;

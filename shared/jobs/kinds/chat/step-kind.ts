import { chatModelOf } from '../../asked/task.ts';
import type { Kind } from '../../engine/item/kind.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { sourceLinksOf } from '../../sources/source-links.ts';

/** A step that asks a model about pages that another job has read. */
export interface StepJob extends SourceJob {
  /** The object that holds the pages. */
  document_object: string;
}

/** What the kinds of such steps have in common. */
export const stepKind = {
  queue: 'chat',
  modelsOf: ({ model }) => [chatModelOf({ job_type: 'chat', model })],
  retried: ['document_object'],
  traces: ['document_object'],
  linksOf: sourceLinksOf,
} as const satisfies Omit<Kind<StepJob>, 'name'>;

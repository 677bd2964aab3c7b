import { chatModelOf } from '../../asked/task.ts';
import type { Kind } from '../../engine/item/kind.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { sourceLinksOf } from '../../sources/source-links.ts';

/** The step that takes fields from pages that another job has read. */
export interface ExtractionJob extends SourceJob {
  kind: 'extraction';
  /** The object that holds the pages, as compressed lines of JSON. */
  document_object: string;
}

export const extractionKind = {
  name: 'extraction',
  job: undefined as ExtractionJob | undefined,
  queue: 'chat',
  modelsOf: ({ model }) => [chatModelOf({ job_type: 'chat', model })],
  retried: ['document_object'],
  traces: ['document_object'],
  linksOf: sourceLinksOf,
} as const satisfies Kind<ExtractionJob>;

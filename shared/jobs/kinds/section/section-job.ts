import type { DocumentKind } from '../../../documents/kind.ts';
import { askedOf, modelsOf } from '../../asked/task.ts';
import { partsPrefixOf } from '../../engine/item/job.ts';
import type { Kind } from '../../engine/item/kind.ts';
import type { SourceJob } from '../../sources/source-job.ts';

/** A job for a range of another job's pages. No caller sees it. It has leases and retries like any other job. */
export interface SectionJob extends SourceJob {
  kind: 'section';
  parent_job_id: string;
  source_object: string;
  source_kind: DocumentKind;
  filename: string;
  /** Which of its parent's pages it reads. */
  first_page: number;
  last_page: number;
}

export const sectionKind = {
  name: 'section',
  job: undefined as SectionJob | undefined,
  queue: 'ocr',
  modelsOf: (job) => modelsOf(askedOf(job)),
} as const satisfies Kind<SectionJob>;

/** Returns the id of a section's job. */
export const sectionIdOf = (parentId: string, firstPage: number) =>
  `${partsPrefixOf(parentId)}${String(firstPage).padStart(5, '0')}`;

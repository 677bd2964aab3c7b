import { type CompositeKind, type DocumentKind, isComposite } from '../../documents/kind.ts';
import type { Job } from '../engine/item/job.ts';

/** Whether a document of a kind is made of pages to be read, rather than of text. */
export const isPaged = (kind: DocumentKind): kind is 'pdf' | 'image' =>
  kind === 'pdf' || kind === 'image';

/** Whether a document of a kind has pages to be read: it is made of them, or holds documents that may be. */
export const hasPages = (kind: DocumentKind): kind is 'pdf' | 'image' | CompositeKind =>
  isPaged(kind) || isComposite(kind);

/** Whether a job can be done on a document of a kind. `auto` and `extract` take what they get; what is taken apart suits any job. */
export function canWorkOn(
  { job_type, pipeline, extract }: Pick<Job, 'job_type' | 'pipeline' | 'extract'>,
  kind: DocumentKind | undefined,
): boolean {
  if (!kind) return false;
  if (job_type === 'auto' || extract || isComposite(kind)) return true;
  return isPaged(kind) === (job_type === 'ocr' || pipeline !== undefined);
}

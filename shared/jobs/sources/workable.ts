import { type CompositeKind, type DocumentKind, isComposite } from '../../documents/kind.ts';
import type { SourceJob } from './source-job.ts';

/** Whether a document of a kind is made of pages to be read, rather than of text. */
export const isPaged = (kind: DocumentKind): kind is 'pdf' | 'image' =>
  kind === 'pdf' || kind === 'image';

/** Whether a document of a kind has pages to be read: it is made of them, or holds documents that may be. */
export const hasPages = (kind: DocumentKind): kind is 'pdf' | 'image' | CompositeKind =>
  isPaged(kind) || isComposite(kind);

type Task = Pick<SourceJob, 'job_type' | 'pipeline' | 'extract'>;

/** Whether a job can be done on a document of a kind. A chat alone can't see pages; any other job takes what it gets. */
export function canWorkOn(
  { job_type, pipeline, extract }: Task,
  kind: DocumentKind | undefined,
): kind is DocumentKind {
  if (!kind) return false;
  return !isPaged(kind) || job_type !== 'chat' || pipeline !== undefined || extract !== undefined;
}

/** Whether a job reads a document of a kind page by page. A text is one page, unless an `auto` job chats about it. */
export const readsPages = ({ job_type, pipeline, extract }: Task, kind: DocumentKind): boolean =>
  hasPages(kind) || (!extract && (job_type === 'ocr' || (job_type === 'chat' && !!pipeline)));

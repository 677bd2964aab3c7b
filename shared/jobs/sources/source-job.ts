import { type CompositeKind, type DocumentKind, isComposite } from '../../documents/kind.ts';
import { isRead, type Task, type Work } from '../asked/task.ts';
import type { Claimed, Job } from '../engine/item/job.ts';

/** The attributes of a job about the file that it works on. */
export interface Source {
  drive_file_id?: string;
  /** The key's own file that it works on. */
  file_id?: string;
  /** The folder of the drive that it takes the files of, or that its result goes to. */
  drive_folder_id?: string;
  /** The folders that the key might read when the job was submitted. */
  asked_folders?: string[];
  /** The object that holds a copy of the file, as it was when the job first ran; and its kind. */
  source_object?: string;
  source_kind?: DocumentKind;
  /** A hash of the document's content as it was when the job first ran. */
  content_sha256?: string;
  /** The items that the file's content and the copy of that have beside the job, by their own ids. */
  known_id?: string;
  copy_id?: string;
  drive_result_file_id?: string;
  /** The id that the result will have on the drive: reserved beforehand, so that no retry writes two. */
  reserved_file_id?: string;
  /** The ids that tables beside the result will have, by their suffix. */
  table_file_ids?: Record<string, string>;
}

/** A job that works on a file. */
export interface SourceJob extends Job, Source, Task {}

/** A job whose file has been copied. */
export type Sourced<Its extends SourceJob = SourceJob> = Claimed<Its> &
  Required<Pick<SourceJob, 'source_object' | 'source_kind' | 'filename'>>;

/** Whether a document of a kind is made of pages to be read, rather than of text. */
export const isPaged = (kind: DocumentKind): kind is 'pdf' | 'image' =>
  kind === 'pdf' || kind === 'image';

/** Whether a document of a kind has pages to be read: it is made of them, or holds documents that may be. */
export const hasPages = (kind: DocumentKind): kind is 'pdf' | 'image' | CompositeKind =>
  isPaged(kind) || isComposite(kind);

/** Whether a job can be done on a document of a kind. A chat alone can't see pages; any other job takes what it gets. */
export const canWorkOn = (work: Work, kind: DocumentKind | undefined): kind is DocumentKind =>
  kind !== undefined && (!isPaged(kind) || isRead(work));

/** Whether a job reads a document of a kind page by page. A text is one page, unless an `auto` job chats about it. */
export const readsPages = ({ job_type, pipeline, extract }: Work, kind: DocumentKind): boolean =>
  hasPages(kind) || (!extract && (job_type === 'ocr' || (job_type === 'chat' && !!pipeline)));

import { hash } from 'node:crypto';
import type { TransactWriteItem } from '../../aws/transact.ts';
import { setting } from '../../config.ts';
import { isComposite } from '../../documents/kind.ts';
import type { Warning } from '../../documents/warnings.ts';
import { ServiceError } from '../../http/errors.ts';
import { findOcrEngine, type OcrEngine } from '../../models/catalogue.ts';
import { ocrModelOf } from '../asked/task.ts';
import type { Claimed, JobKey } from '../engine/item/job.ts';
import { attributesOf } from '../engine/item/new-job.ts';
import { stepsBetween, stepsUnder } from '../engine/item/steps.ts';
import type { OcrPage } from '../results/result.ts';
import type { SourceJob } from '../sources/source-job.ts';

/** A page as it was read. */
export interface PageStep extends OcrPage {
  /** What reading it cost, in nano-dollars. */
  cost?: number;
  /** The clock hour whose allowance the page's image was taken from. */
  image_hour?: string;
  /** The object that holds its words with their places; absent for a page without any. */
  words_object?: string;
  /** By how many degrees, clockwise, it must be turned to stand upright. */
  turn?: number;
  /** The object that holds its picture, for a model that is to see it. */
  picture_object?: string;
  /** What the page's text lacks, or may have wrong. */
  warnings?: Warning[];
}

/** Returns the name of a page's step; names sort as pages do. */
export const pageName = (page: number) => `page_${String(page).padStart(5, '0')}`;

/** Some of a document's pages, from 1, both ends included. */
export interface PageRange {
  first: number;
  last: number;
}

/** Reads the pages of a range that have been read, in their order. */
export async function pageSteps(
  job: JobKey & { parent_job_id?: string },
  { first, last }: PageRange,
): Promise<PageStep[]> {
  const steps: PageStep[] = [];
  const kept = stepsBetween<PageStep>(job, pageName(first), pageName(last));
  for await (const { value } of kept) steps.push(value);
  return steps;
}

/* The pages that a key has read, by content and reader. Each is written in the transaction that settles it. */

/** Raise this when pages are read differently: pages that were kept before are then read anew. */
const readingVersion = 1;

/** The model or engine that reads the pages of a job. */
export interface Reader {
  model: string;
  /** The model as an engine, which says where each word stands. */
  engine: OcrEngine | undefined;
  /** The prefix of the ids of pages that are kept for later jobs; absent for content without a hash. */
  keptUnder?: string;
}

/** Returns the reader of a job's pages. */
export function readerOf(job: Claimed<SourceJob>): Reader {
  const { content_sha256, job_type, asked_model, source_kind, force_ocr } = job;
  const model = ocrModelOf({ job_type, model: asked_model ?? null });
  const engine = findOcrEngine(model);
  // A job that was copied from the drive before contents were told apart.
  if (!content_sha256) return { model, engine };
  // The pictures in such a document are pages of their own then.
  const withPictures = Boolean(force_ocr && source_kind && isComposite(source_kind));
  const reading = [content_sha256, readingVersion, model, engine?.features, withPictures];
  const readingHash = hash('sha256', JSON.stringify(reading), 'base64url');
  return { model, engine, keptUnder: `pages_${readingHash}#` };
}

/** Returns the pages of a range that were read before and kept, by their number. A `fresh` job takes none. */
export async function cachedPages(
  { key_id, fresh }: Claimed<SourceJob>,
  { keptUnder }: Reader,
  { first, last }: PageRange,
): Promise<Map<number, PageStep>> {
  const pages = new Map<number, PageStep>();
  if (!keptUnder || fresh) return pages;
  const kept = stepsUnder<PageStep>(key_id, keptUnder, pageName(first), pageName(last));
  for await (const { value } of kept) pages.set(value.page, value);
  return pages;
}

/** Returns what a result says of a page. */
export const shownPage = (step: PageStep): OcrPage =>
  attributesOf(step, ['page', 'source', 'confidence', 'text', 'error', 'cached', 'part']);

/** Returns the step of a page that was read before: it takes no image and costs nothing. */
export const fromCache = ({ page, source, confidence, text }: PageStep): PageStep => ({
  page,
  source,
  confidence,
  text,
  cached: true,
});

/** Returns the write of a page, and the one that keeps the page for later jobs in the earlier one's place. */
export function withCacheWrite(
  step: TransactWriteItem,
  job_id: string | undefined,
): TransactWriteItem[] {
  if (!job_id || !step.Put) return [step];
  const { kept_as: _, ...Item } = step.Put.Item ?? {};
  return [step, { Put: { TableName: step.Put.TableName, Item: { ...Item, job_id } } }];
}

/** The id of the item that keeps a page for later jobs. A step of the page names it, so that it goes with its job. */
export const keptPageId = ({ keptUnder }: Reader, page: number): string | undefined =>
  keptUnder && `${keptUnder}${pageName(page)}`;

/** Throws a 422 for a document of more pages than one may have. */
export function checkLength(pageCount: number, name: string): void {
  const { pages } = setting('DOCUMENT_LIMITS');
  if (pageCount <= pages) return;
  throw new ServiceError(
    422,
    'too_many_pages',
    `${name} has ${pageCount} pages, more than the ${pages} that a document may have.`,
  );
}

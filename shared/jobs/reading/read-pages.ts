import type { Document } from '../../documents/document.ts';
import { maxPictureBytes } from '../../http/bounds.ts';
import { ServiceError } from '../../http/errors.ts';
import { hourOf, imagesTaken, imageTaker, returnUnreadImages } from '../../ledger/images-hour.ts';
import { log } from '../../log.ts';
import { measure } from '../../metrics.ts';
import { type Claimed, jobsWait, roomOf } from '../engine/item/job.ts';
import { continueJob } from '../engine/item/job-wait.ts';
import { noteProgress } from '../engine/item/progress.ts';
import { saveStep } from '../engine/item/steps.ts';
import { isPermanent, jobErrorText } from '../engine/run/failure.ts';
import { runAll } from '../engine/run/run-all.ts';
import type { RunEnd } from '../engine/run/run-job.ts';
import { beginStep, readKeyOf } from '../engine/run/watch.ts';
import type { SourceJob } from '../sources/source-job.ts';
import {
  cachedPages,
  fromCache,
  keptPageId,
  type PageRange,
  type PageStep,
  pageName,
  pageSteps,
  type Reader,
  readerOf,
} from './page-steps.ts';
import { copyWords, keepPicture, keepWords } from './page-words.ts';
import { type Draw, isToBeSeen, type Reading, readImage } from './read-image.ts';

/** Pages of one document that are read at once: most of their time is waiting, and each takes memory. */
const pagesAtOnce = 8;

/**
 * Reads the unread pages of a range; one that fails is written down as failed. Returns the steps of all pages; if
 * time is up before, the end of this run.
 */
export async function readPages(
  job: Claimed<SourceJob>,
  document: Document,
  range: PageRange,
  signal: AbortSignal,
): Promise<PageStep[] | RunEnd> {
  const done = await pageSteps(job, range);
  const reading = { ...(await beginReading(job, range, done, signal)), document };
  const progress = { pages: 0, failed: done.filter(isFailed).length };
  const note = () =>
    noteProgress(job, {
      done: done.length + progress.pages - progress.failed,
      total: range.last - range.first + 1,
      failed: progress.failed,
      unit: 'pages',
    });
  note();
  try {
    await readMissing(reading, missingOf(range, done), (source) => {
      progress.pages += 1;
      if (source) measure({ Pages: 1 }, { source });
      else progress.failed += 1;
      note();
    });
  } catch (error) {
    if (signal.aborted && progress.pages > 0) return () => continueJob(job);
    if (isPermanent(error)) await returnImages(job, await pageSteps(job, range));
    throw error;
  }
  log('info', 'pages read', { job_id: job.job_id, first: range.first, last: range.last });
  const all = await pageSteps(job, range);
  const unread = missingOf(range, all);
  if (unread.length > 0) throw new Error(`The pages ${unread.join(', ')} were read and not kept`);
  await returnImages(job, all);
  return all;
}

/** Gives back the images that a dead worker took of the hour, and that nobody will read now. */
export const returnImages = (job: Claimed<SourceJob>, steps: PageStep[]) =>
  returnUnreadImages(job.key_id, job.job_id, (hour) => countImages(steps, hour));

/** Opens the reader, cache and images of a run. Images that an earlier run took and did not read are used first. */
async function beginReading(
  job: Claimed<SourceJob>,
  range: PageRange,
  done: PageStep[],
  signal: AbortSignal,
) {
  const reader = readerOf(job);
  const [{ images_per_hour }, taken, cache] = await Promise.all([
    readKeyOf(job),
    imagesTaken(job.key_id, job.job_id),
    cachedPages(job, reader, range),
  ]);
  const hour = hourOf(Date.now());
  const spare = Math.max(0, taken - countImages(done, hour));
  const images = imageTaker(job.key_id, job.job_id, images_per_hour, { hour, count: spare });
  return { job, reader, images, cache, signal };
}

const isFailed = ({ error }: PageStep) => error !== undefined;

const countImages = (steps: PageStep[], hour: string) =>
  steps.filter((step) => step.image_hour === hour).length;

function missingOf({ first, last }: PageRange, done: PageStep[]): number[] {
  const known = new Set(done.map(({ page }) => page));
  const pages = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return pages.filter((page) => !known.has(page));
}

/** Reads pages until one can't be read for now; those under way are awaited, and no further one begins. */
async function readMissing(
  reading: DocumentReading,
  pages: number[],
  onPage: (source: PageSource) => void,
): Promise<void> {
  const tasks = pages.map((page) => async () => {
    reading.signal.throwIfAborted();
    await beginStep(reading.job);
    onPage(await readPage(reading, page));
  });
  await runAll(tasks, pagesAtOnce);
}

interface DocumentReading extends Reading {
  document: Document;
  /** The pages that were read for an earlier job. */
  cache: Map<number, PageStep>;
}

/** Where a page's text comes from; undefined if it could not be read. */
type PageSource = 'text_layer' | 'cache' | 'ocr' | undefined;

/** Reads a page by its text layer, else as it was read before, else by OCR. */
async function readPage(reading: DocumentReading, page: number): Promise<PageSource> {
  const { job, document, cache } = reading;
  const name = pageName(page);
  using room = await roomOf(job, 0);
  try {
    const words = job.extract !== undefined;
    const options = { forceOcr: job.force_ocr ?? false, draw: false, words };
    const { textLayer, words: placed, warnings = [] } = await document.readPage(page, options);
    const draw = async () => {
      await room.take(maxPictureBytes, jobsWait);
      return pictureOf(document, page);
    };
    if (textLayer !== undefined) {
      const kept = await keepWords(job, page, { words: placed ?? [], turn: 0 });
      const warned = warnings.length > 0 && { warnings };
      const read = { page, source: 'text_layer', confidence: null, text: textLayer };
      await saveStep(job, name, { ...read, ...kept, ...warned });
      return 'text_layer';
    }
    const known = cache.get(page);
    if (known && (await takeFromCache(reading, known, draw))) return 'cache';
    await readImage(reading, page, draw);
    return 'ocr';
  } catch (error) {
    if (!isPagesFault(error)) throw error;
    const failed = { page, source: 'ocr', confidence: null, text: null };
    await saveStep(job, name, { ...failed, error: jobErrorText(error) });
    return undefined;
  }
}

/** Takes a page as it was read before. Returns false if the words that the job needs were not kept. */
async function takeFromCache(
  { job, reader }: Reading,
  known: PageStep,
  draw: Draw,
): Promise<boolean> {
  const kept = job.extract ? await wordsFor(job, reader, known) : {};
  if (!kept) return false;
  const picture = isToBeSeen(job, known.confidence) ? await pictureFor(job, known.page, draw) : {};
  const step = { ...fromCache(known), ...kept, ...picture };
  await saveStep(job, pageName(known.page), step, keptPageId(reader, known.page));
  return true;
}

/** Draws a page whose text is known. One that can't be drawn now has its text all the same. */
async function pictureFor(job: Claimed<SourceJob>, page: number, draw: Draw) {
  try {
    return { picture_object: await keepPicture(job, page, await draw()) };
  } catch (error) {
    if (!isPagesFault(error)) throw error;
    return {};
  }
}

/** Returns a job's own copy of a page's words, as a step has it. A model reads no words with places. */
async function wordsFor(job: Claimed<SourceJob>, { engine }: Reader, known: PageStep) {
  const mayLack = known.text === '' || !engine;
  return known.words_object || mayLack ? copyWords(job, known) : undefined;
}

async function pictureOf(document: Document, page: number): Promise<Uint8Array> {
  const { jpeg } = await document.readPage(page, { forceOcr: true });
  if (!jpeg) throw new Error(`Page ${page} has neither text nor a picture`);
  return jpeg;
}

/** Whether an error says that this very page can't be read; a spent budget, say, stops the whole job. */
const isPagesFault = (error: unknown) =>
  error instanceof ServiceError && [400, 422].includes(error.statusCode);

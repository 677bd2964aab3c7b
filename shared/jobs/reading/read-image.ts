import { askHeld } from '../../chat/ask.ts';
import { type HeldCall, holdCall } from '../../chat/hold-call.ts';
import type { ImageTaker } from '../../ledger/images-hour.ts';
import { release } from '../../ledger/settle.ts';
import type { OcrEngine } from '../../models/catalogue.ts';
import { readHeld } from '../../ocr/read-held.ts';
import { transcription } from '../../ocr/transcription.ts';
import { callOf, chargeSubjectOf } from '../asked/model-call.ts';
import { requireJobModel } from '../asked/task.ts';
import type { Claimed } from '../engine/item/job.ts';
import { stepWrite } from '../engine/item/steps.ts';
import type { SourceJob } from '../sources/source-job.ts';
import { keptPageId, type PageStep, pageName, type Reader, withCacheWrite } from './page-steps.ts';
import { keepPicture, keepWords } from './page-words.ts';

/** Draws a page, as a JPEG. Throws 422 if it can't be drawn. */
export type Draw = () => Promise<Uint8Array>;

/** What reading is charged as: a step of what is made of the pages. */
const useOf = ({ pipeline, extract }: SourceJob) =>
  extract ? 'extract' : pipeline ? 'pipeline' : 'ocr';

/** Whether a page that was read so is put to the model as a picture too, which is asked for fields. */
export const isToBeSeen = ({ extract }: Claimed<SourceJob>, confidence: number | null) =>
  extract?.vision_below !== undefined && confidence !== null && confidence < extract.vision_below;

/** What the pictures of a job's pages are read with in one run. */
export interface Reading {
  job: Claimed<SourceJob>;
  reader: Reader;
  images: ImageTaker;
  signal: AbortSignal;
}

/**
 * Reads one page's image, once. Its image of the hour and its price are taken before it is drawn, and given back if
 * it can't be read. The text is written in one transaction with its charge.
 */
export async function readImage(reading: Reading, page: number, draw: Draw): Promise<void> {
  const { images, reader } = reading;
  const hour = await images.take();
  let isNew = false;
  try {
    isNew = reader.engine
      ? await readByEngine(reading, reader.engine, { page, image_hour: hour }, draw)
      : await readByModel(reading, { page, image_hour: hour }, draw);
  } finally {
    // A run that had lost its lease may have read the page meanwhile, and that reading counts.
    if (!isNew) await images.giveBack(hour);
  }
}

type PageImage = Required<Pick<PageStep, 'page' | 'image_hour'>>;

function readByEngine(
  { job, reader, signal }: Reading,
  engine: OcrEngine,
  image: PageImage,
  draw: Draw,
): Promise<boolean> {
  const subject = chargeSubjectOf(job, useOf(job));
  const call = { keyId: job.key_id, engine, subject, draw, signal };
  return readHeld(call, async ({ text, confidence, cost, jpeg, ...words }) => {
    const isSeen = isToBeSeen(job, confidence);
    return pageWrites(job, reader, {
      ...image,
      source: 'ocr',
      confidence,
      text,
      cost,
      ...(await keepWords(job, image.page, words)),
      ...(isSeen && { picture_object: await keepPicture(job, image.page, jpeg) }),
    });
  });
}

async function readByModel(
  { job, reader, signal }: Reading,
  image: PageImage,
  draw: Draw,
): Promise<boolean> {
  const model = requireJobModel(reader.model);
  // Every picture counts the same.
  const call = callOf(job, useOf(job), model, transcription(new Uint8Array()), signal);
  // The images of the hour limit how many are read.
  const held = await holdCall({ ...call, images: 1, asRequest: false });
  const drawn = await withPicture(held, draw);
  const { kept } = await askHeld(drawn, ({ content, cost }) =>
    pageWrites(job, reader, {
      ...image,
      source: 'ocr',
      confidence: null,
      text: content ?? '',
      cost,
    }),
  );
  return kept !== undefined;
}

/** Puts a page's picture into a call that is held. Releases the hold if the page can't be drawn. */
async function withPicture(held: HeldCall, draw: Draw): Promise<HeldCall> {
  try {
    const body = { ...held.call.body, messages: transcription(await draw()) };
    return { ...held, call: { ...held.call, body } };
  } catch (error) {
    await release(held.hold);
    throw error;
  }
}

/** Returns the writes of a page that was read: its step, and what is kept of it for later jobs. */
async function pageWrites(job: Claimed<SourceJob>, reader: Reader, step: PageStep) {
  const keptId = keptPageId(reader, step.page);
  return {
    writes: withCacheWrite(await stepWrite(job, pageName(step.page), step, keptId), keptId),
  };
}

import { askHeld } from '../../chat/ask.ts';
import { type HeldCall, holdCall } from '../../chat/hold-call.ts';
import type { ImageTaker } from '../../ledger/image-taker.ts';
import { reserve } from '../../ledger/reserve.ts';
import { release, settleWith } from '../../ledger/settle.ts';
import { toNanoUsd } from '../../ledger/terms/nano-usd.ts';
import { findOcrEngine, type OcrEngine } from '../../models/catalogue.ts';
import { waitForRateLimit } from '../../ocr/rate-limit.ts';
import { readWithTextract } from '../../ocr/textract.ts';
import { transcription } from '../../ocr/transcription.ts';
import { callOf, chargeSubjectOf } from '../asked/model-call.ts';
import { ocrModelOf, requireJobModel } from '../asked/task.ts';
import type { Claimed } from '../engine/item/job.ts';
import { stepWrite } from '../engine/item/steps.ts';
import type { SourceJob } from '../sources/source-job.ts';
import { keptPageId, type PageStep, pageName, withCacheWrite } from './page-steps.ts';
import { keepPicture, keepWords } from './page-words.ts';

/** Draws a page, as a JPEG. Throws 422 if it can't be drawn. */
export type Draw = () => Promise<Uint8Array>;

/** Whether the pages of a job are read by an engine, which says where each word stands. */
export const isReadByEngine = (job: Claimed<SourceJob>) =>
  findOcrEngine(readerOf(job)) !== undefined;

const readerOf = ({ job_type, asked_model }: Claimed<SourceJob>) =>
  ocrModelOf({ job_type, model: asked_model ?? null });

/** What reading is charged as: a step of what is made of the pages. */
const useOf = ({ pipeline, extract }: SourceJob) =>
  extract ? 'extract' : pipeline ? 'pipeline' : 'ocr';

/** Whether a page that was read so is put to the model as a picture too, which is asked for fields. */
export const isToBeSeen = ({ extract }: Claimed<SourceJob>, confidence: number | null) =>
  extract?.vision_below !== undefined && confidence !== null && confidence < extract.vision_below;

/** A page to read as a picture for a job. */
interface PageImage {
  job: Claimed<SourceJob>;
  page: number;
  draw: Draw;
  signal: AbortSignal;
}

/**
 * Reads one page's image, once. Its image of the hour and its price are taken before it is drawn, and given back if
 * it can't be read. The text is written in one transaction with its charge.
 */
export async function readImage(image: PageImage, images: ImageTaker): Promise<void> {
  const hour = await images.take();
  const modelId = readerOf(image.job);
  const engine = findOcrEngine(modelId);
  let isNew = false;
  try {
    isNew = engine
      ? await readByEngine(image, hour, engine)
      : await readByModel(image, hour, modelId);
  } finally {
    // A run that had lost its lease may have read the page meanwhile, and that reading counts.
    if (!isNew) await images.giveBack(hour);
  }
}

async function readByEngine(
  { job, page, draw, signal }: PageImage,
  hour: string,
  { id, features, usdPerPage }: OcrEngine,
): Promise<boolean> {
  const cost = toNanoUsd(usdPerPage);
  const subject = { model: id, ...chargeSubjectOf(job, useOf(job)) };
  const hold = await reserve(job.key_id, cost, subject, { asRequest: false });
  try {
    const jpeg = await draw();
    await waitForRateLimit(signal);
    const { text, confidence, ...words } = await readWithTextract(jpeg, features, signal);
    const isSeen = isToBeSeen(job, confidence);
    const step: PageStep = {
      ...{ page, source: 'ocr', confidence, text, cost, image_hour: hour },
      ...(await keepWords(job, page, words)),
      ...(isSeen && { picture_object: await keepPicture(job, page, jpeg) }),
    };
    const nothing = { promptTokens: 0, completionTokens: 0 };
    const outcome = { costNanoUsd: cost, figures: 'exact', ...nothing, images: 1 } as const;
    return (await settleWith(hold, outcome, await pageWrites(job, step))) !== undefined;
  } catch (error) {
    await release(hold);
    throw error;
  }
}

async function readByModel(
  { job, page, draw, signal }: PageImage,
  hour: string,
  modelId: string,
): Promise<boolean> {
  const model = requireJobModel(modelId);
  // Every picture counts the same.
  const call = callOf(job, useOf(job), model, transcription(new Uint8Array()), signal);
  // The images of the hour limit how many are read.
  const held = await holdCall({ ...call, images: 1, asRequest: false });
  const drawn = await withPicture(held, draw);
  const { kept } = await askHeld(drawn, ({ content, cost }) => {
    const text = content ?? '';
    const step: PageStep = { page, source: 'ocr', confidence: null, text, cost, image_hour: hour };
    return pageWrites(job, step);
  });
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
async function pageWrites(job: Claimed<SourceJob>, step: PageStep) {
  const { page } = step;
  const write = await stepWrite(job, pageName(page), step, keptPageId(job, page));
  return { writes: withCacheWrite(job, page, write) };
}

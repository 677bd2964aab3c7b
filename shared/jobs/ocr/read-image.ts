import { ask } from '../../chat/ask.ts';
import type { ImageTaker } from '../../ledger/image-taker.ts';
import { toNanoUsd } from '../../ledger/nano-usd.ts';
import { reserve } from '../../ledger/reserve.ts';
import { release, settleWith } from '../../ledger/settle.ts';
import { findOcrEngine, type OcrEngine } from '../../models/catalogue.ts';
import { waitForRateLimit } from '../../ocr/rate-limit.ts';
import { readWithTextract } from '../../ocr/textract.ts';
import { transcription } from '../../ocr/transcription.ts';
import { requireJobModel, tagsOf } from '../chat/ask.ts';
import { type ClaimedJob, callersJobIdOf } from '../job.ts';
import { ocrModelOf } from '../step-models.ts';
import { stepWrite } from '../steps.ts';
import { withCacheWrite } from './page-cache.ts';
import { type PageStep, pageName } from './page-steps.ts';

/**
 * Reads one page's image, once. An image of the hour is taken and the price held before; what was read is
 * written in one transaction with its charge. An image that could not be read is given back.
 */
export async function readImage(
  job: ClaimedJob,
  page: number,
  jpeg: Uint8Array,
  images: ImageTaker,
  signal: AbortSignal,
): Promise<void> {
  const hour = await images.take();
  const modelId = ocrModelOf({ job_type: job.job_type, model: job.asked_model ?? null });
  const engine = findOcrEngine(modelId);
  try {
    const isNew = engine
      ? await readByEngine(job, page, jpeg, hour, engine, signal)
      : await readByModel(job, page, jpeg, hour, modelId, signal);
    // A run that had lost its lease has read the page meanwhile, and that reading counts.
    if (!isNew) await images.giveBack(hour);
  } catch (error) {
    await images.giveBack(hour);
    throw error;
  }
}

async function readByEngine(
  job: ClaimedJob,
  page: number,
  jpeg: Uint8Array,
  hour: string,
  { id, features, usdPerPage }: OcrEngine,
  signal: AbortSignal,
): Promise<boolean> {
  await waitForRateLimit(signal);
  const cost = toNanoUsd(usdPerPage);
  const subject = { model: id, tags: tagsOf(job, 'ocr'), job_id: callersJobIdOf(job) };
  const hold = await reserve(job.key_id, cost, subject, { asRequest: false });
  try {
    const { text, confidence } = await readWithTextract(jpeg, features, signal);
    const step: PageStep = { page, source: 'ocr', confidence, text, cost, image_hour: hour };
    const outcome = {
      costNanoUsd: cost,
      figures: 'exact',
      promptTokens: 0,
      completionTokens: 0,
      images: 1,
    } as const;
    return await settleWith(hold, outcome, await pageWrites(job, step));
  } catch (error) {
    await release(hold);
    throw error;
  }
}

async function readByModel(
  job: ClaimedJob,
  page: number,
  jpeg: Uint8Array,
  hour: string,
  modelId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const model = requireJobModel(modelId);
  const call = {
    keyId: job.key_id,
    model,
    body: { model: model.id, messages: transcription(jpeg) },
    subject: { tags: tagsOf(job, 'ocr'), job_id: callersJobIdOf(job) },
    signal,
    images: 1,
  };
  const { isNew } = await ask(call, ({ content, cost }) => {
    const text = content ?? '';
    const step: PageStep = { page, source: 'ocr', confidence: null, text, cost, image_hour: hour };
    return pageWrites(job, step);
  });
  return isNew;
}

/** Returns the writes of a page that was read: its step, and what is kept of it for later jobs. */
const pageWrites = async (job: ClaimedJob, step: PageStep) =>
  withCacheWrite(job, step.page, await stepWrite(job, pageName(step.page), step));

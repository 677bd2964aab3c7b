import { reserve } from '../ledger/reserve.ts';
import { type Products, release, settleWith } from '../ledger/settle.ts';
import type { ChargeSubject } from '../ledger/terms/charge.ts';
import { toNanoUsd } from '../ledger/terms/nano-usd.ts';
import type { OcrEngine } from '../models/catalogue.ts';
import type { PageText } from './layout.ts';
import { waitForRateLimit } from './rate-limit.ts';
import { readWithTextract } from './textract.ts';
import type { PageWords } from './words.ts';

/** A page for an engine to read, the key that pays, and the subject of its charge. */
export interface PageCall {
  keyId: string;
  engine: OcrEngine;
  subject: Omit<ChargeSubject, 'model'>;
  /** Draws the page, as a JPEG. */
  draw: () => Promise<Uint8Array>;
  signal: AbortSignal;
}

/** A page as an engine has read it; `cost` in nano-dollars. */
export interface PageRead extends PageText, PageWords {
  jpeg: Uint8Array;
  cost: number;
}

/**
 * Reads a page with an engine. Its price is held before it is drawn, and settled in one transaction with the writes of
 * `keep`. Returns whether they were made: if they were there before, the page is free. Throws as `reserve`, `draw` and
 * `readWithTextract` do, and then nothing is paid.
 */
export async function readHeld(
  { keyId, engine, subject, draw, signal }: PageCall,
  keep: (read: PageRead) => Promise<Products>,
): Promise<boolean> {
  const cost = toNanoUsd(engine.usdPerPage);
  const hold = await reserve(keyId, cost, { ...subject, model: engine.id }, { asRequest: false });
  try {
    const jpeg = await draw();
    await waitForRateLimit(signal);
    const read = await readWithTextract(jpeg, engine.features, signal);
    const nothing = { promptTokens: 0, completionTokens: 0 };
    const outcome = { costNanoUsd: cost, figures: 'exact', ...nothing, images: 1 } as const;
    return (await settleWith(hold, outcome, await keep({ ...read, jpeg, cost }))) !== undefined;
  } catch (error) {
    await release(hold);
    throw error;
  }
}

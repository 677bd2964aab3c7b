import { setTimeout as wait } from 'node:timers/promises';
import {
  AnalyzeDocumentCommand,
  type Block,
  DetectDocumentTextCommand,
} from '@aws-sdk/client-textract';
import { textract } from '../aws/textract.ts';
import { ServiceError } from '../http/errors.ts';
import { fullJitterMs } from '../jitter.ts';
import { errorFields, log } from '../log.ts';
import { defaultHeightToWidth, markdown, type PageText, plainText } from './layout.ts';
import { failureOf, toServiceError } from './textract-errors.ts';
import { type PageWords, wordsOf } from './words.ts';

/** What to ask of Textract beside a page's text. Each feature has a price of its own. */
export type TextractFeature = 'LAYOUT' | 'TABLES';

const defaultRetryMs = 20_000;
const firstSpanMs = 200;
const maxWaitMs = 5_000;

/**
 * Reads a page's JPEG: as plain text in reading order, with features as Markdown; and its words. Retries until
 * `maxRetryMs`. Throws `ServiceError`: 422 if it can't be read, 429 or 503 if it may be later, 500 without
 * permission.
 */
export async function readWithTextract(
  jpeg: Uint8Array,
  features: readonly TextractFeature[],
  signal: AbortSignal,
  maxRetryMs = defaultRetryMs,
): Promise<PageText & PageWords> {
  const blocks = await withRetries(() => blocksOf(jpeg, features, signal), signal, maxRetryMs);
  const toText = features.length > 0 ? markdown : plainText;
  const shape = heightToWidth(jpeg);
  return { ...toText(blocks, shape), ...wordsOf(blocks, shape ?? defaultHeightToWidth) };
}

async function blocksOf(
  Bytes: Uint8Array,
  features: readonly TextractFeature[],
  abortSignal: AbortSignal,
): Promise<Block[]> {
  const input = { Document: { Bytes } };
  const { Blocks } =
    features.length > 0
      ? await textract.send(new AnalyzeDocumentCommand({ ...input, FeatureTypes: [...features] }), {
          abortSignal,
        })
      : await textract.send(new DetectDocumentTextCommand(input), { abortSignal });
  return Blocks ?? [];
}

/** Repeats a call after each failure that may pass, until `maxRetryMs` after the first one. */
async function withRetries<Result>(
  call: () => Promise<Result>,
  signal: AbortSignal,
  maxRetryMs: number,
): Promise<Result> {
  let endMs: number | undefined;
  for (let retriesBefore = 0; ; retriesBefore += 1) {
    try {
      signal.throwIfAborted();
      return await call();
    } catch (error) {
      if (signal.aborted) throw outOfTime(signal);
      endMs ??= Date.now() + maxRetryMs;
      const waitMs = fullJitterMs(firstSpanMs, retriesBefore, maxWaitMs);
      if (!isTransient(error) || Date.now() + waitMs > endMs) throw logFailure(error);
      await wait(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

function isTransient(error: unknown): boolean {
  const failure = failureOf(error);
  return failure === 'throttled' || failure === 'unavailable';
}

/** Logs a failure for the operator, and returns the error that callers see, which says less. */
function logFailure(error: unknown): unknown {
  log('warn', 'textract failed', { failure: failureOf(error), ...errorFields(error) });
  return toServiceError(error);
}

const outOfTime = ({ reason }: AbortSignal) =>
  new ServiceError(503, 'ocr_unavailable', 'The page was not read in time.', { cause: reason });

/** Returns how many times its width a JPEG is high; undefined if its header doesn't say. @see https://www.w3.org/Graphics/JPEG/itu-t81.pdf */
export function heightToWidth(jpeg: Uint8Array): number | undefined {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength);
  for (let at = 2; at + 9 <= jpeg.length; ) {
    const marker = view.getUint16(at);
    if (startsFrame(marker)) return shapeOf(view.getUint16(at + 5), view.getUint16(at + 7));
    if (marker < 0xff01) return undefined;
    at += marker === 0xffff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

const shapeOf = (height: number, width: number) =>
  height > 0 && width > 0 ? height / width : undefined;

/** Whether a marker is one of SOF0 to SOF15. Three in their range mean something else: DHT, JPG and DAC. */
const startsFrame = (marker: number) =>
  marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);

import { setTimeout as wait } from 'node:timers/promises';
import {
  AnalyzeDocumentCommand,
  type Block,
  DetectDocumentTextCommand,
} from '@aws-sdk/client-textract';
import { textract } from '../aws/textract.ts';
import { fullJitterMs } from '../backoff.ts';
import { ServiceError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import { heightToWidth } from './jpeg-shape.ts';
import { markdown, type PageText, plainText } from './layout.ts';
import { failureOf, toServiceError } from './textract-errors.ts';

/** What to ask of Textract beside a page's text; each has its price. */
export type TextractFeature = 'LAYOUT' | 'TABLES';

const usualPatienceMs = 20_000;
const firstSpanMs = 200;
const maxWaitMs = 5_000;

/**
 * Reads a page's JPEG: plain text in reading order without features, Markdown with them. Throttles,
 * faults and lost connections are tried again until `patienceMs` after the first. Throws
 * `ServiceError`: 422 where the page can't be read, 429 or 503 where it may be later.
 */
export async function readWithTextract(
  jpeg: Uint8Array,
  features: readonly TextractFeature[],
  signal: AbortSignal,
  patienceMs = usualPatienceMs,
): Promise<PageText> {
  const blocks = await persistently(() => blocksOf(jpeg, features, signal), signal, patienceMs);
  const toText = features.length > 0 ? markdown : plainText;
  return toText(blocks, heightToWidth(jpeg));
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

/** Repeats a call after a failure that passes, until `patienceMs` after the first. */
async function persistently<Result>(
  call: () => Promise<Result>,
  signal: AbortSignal,
  patienceMs: number,
): Promise<Result> {
  let endMs: number | undefined;
  for (let triesBefore = 0; ; triesBefore += 1) {
    try {
      signal.throwIfAborted();
      return await call();
    } catch (error) {
      if (signal.aborted) throw outOfTime(signal);
      endMs ??= Date.now() + patienceMs;
      const waitMs = fullJitterMs(firstSpanMs, triesBefore, maxWaitMs);
      if (!isPassing(error) || Date.now() + waitMs > endMs) throw logged(error);
      await wait(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

function isPassing(error: unknown): boolean {
  const failure = failureOf(error);
  return failure === 'throttled' || failure === 'unavailable';
}

/** What a caller is told says too little to whoever must mend it. */
function logged(error: unknown): unknown {
  log('warn', 'textract failed', { failure: failureOf(error), ...errorFields(error) });
  return toServiceError(error);
}

const outOfTime = ({ reason }: AbortSignal) =>
  new ServiceError(503, 'ocr_unavailable', 'The page was not read in time.', { cause: reason });

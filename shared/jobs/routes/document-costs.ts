import { setting } from '../../config.ts';
import { type DocumentKind, isComposite } from '../../documents/kind.ts';
import { toNanoUsd } from '../../ledger/terms/nano-usd.ts';
import { type CostRange, callCost, free } from '../../models/call-cost.ts';
import { findModel, findOcrEngine, type Model } from '../../models/catalogue.ts';
import { transcription } from '../../ocr/transcription.ts';
import { askedOf, chatModelOf, ocrModelOf } from '../asked/task.ts';
import { extractCost } from '../kinds/extraction/extract-cost.ts';
import { isPaged, type SourceJob } from '../sources/source-job.ts';
import { type CountedPages, pageBytes } from './count-pages.ts';

/** A document as far as it is known without its job. The size of Google's own is not. */
export interface KnownDocument {
  kind: DocumentKind | undefined;
  bytes: number | undefined;
  counted: CountedPages | undefined;
}

/** The cost of a part of a job. `isWhole` is false where an unknown number of calls comes on top. */
interface PartCost extends CostRange {
  isWhole: boolean;
}

/** The cost of reading a document, and the bytes of its text: at most, if known, and likely. */
interface Reading extends PartCost {
  isOfPages: boolean;
  /** Undefined for a document that must be opened to be counted. A text has no pages. */
  pageCount: number | undefined;
  textBytes: number | undefined;
  likelyTextBytes: number;
}

/** How much text a scanned page usually has, and how much of an unopened document is a page. */
const usualPageBytes = 2_000;
const unopenedPageBytes = 100_000;

/** Returns the cost of reading a document. */
export function readingOf(job: SourceJob, { kind, bytes, counted }: KnownDocument): Reading {
  if (kind && isPaged(kind)) return readingOfPages(job, bytes, counted);
  const isKnown = kind !== undefined && !isComposite(kind);
  // Each line, or the conversation, is asked by itself.
  const isRequests = (kind === 'json' || kind === 'jsonl') && !job.extract;
  return {
    ...free,
    isOfPages: false,
    isWhole: isKnown,
    pageCount: kind && 0,
    textBytes: isKnown && !isRequests ? bytes : undefined,
    likelyTextBytes: bytes ?? 0,
  };
}

function readingOfPages(job: SourceJob, bytes = 0, counted: KnownDocument['counted']): Reading {
  const page = pageCost(ocrModelOf(askedOf(job)));
  const { all: pageCount, textBytes, toRead = setting('DOCUMENT_LIMITS').pages } = counted ?? {};
  const likely = counted?.toRead ?? Math.ceil(bytes / unopenedPageBytes);
  return {
    isOfPages: true,
    isWhole: true,
    pageCount,
    textBytes,
    maxNanoUsd: toRead * page.maxNanoUsd,
    likelyNanoUsd: likely * page.likelyNanoUsd,
    likelyTextBytes: (textBytes ?? likely * pageBytes) - likely * (pageBytes - usualPageBytes),
  };
}

/** Returns the cost of asking a model about the pages that were read; nothing where none is asked. */
export function askingCost(job: SourceJob, readings: readonly Reading[]): PartCost {
  const { extract, pipeline, job_type, pipeline_instruction = '' } = job;
  const isOfPages = readings.some((reading) => reading.isOfPages);
  const isAsked = extract || pipeline || (job_type !== 'ocr' && !isOfPages);
  const model = findModel(chatModelOf(askedOf(job)));
  if (!isAsked || !model) return { ...free, isWhole: !isAsked };
  const most = readings.reduce<number | undefined>(
    (sum, { textBytes }) =>
      sum !== undefined && textBytes !== undefined ? sum + textBytes : undefined,
    0,
  );
  const likely = readings.reduce((sum, { likelyTextBytes }) => sum + likelyTextBytes, 0);
  const costOf = (bytes: number) =>
    extract ? extractCost(model, job, bytes) : textCost(model, pipeline_instruction, bytes);
  const { likelyNanoUsd } = costOf(likely);
  const isWhole =
    most !== undefined && (extract !== undefined || fitsCall(model, most, pipeline_instruction));
  return { isWhole, likelyNanoUsd, maxNanoUsd: isWhole ? costOf(most).maxNanoUsd : 0 };
}

/** The cost of reading one page. */
function pageCost(id: string): CostRange {
  const engine = findOcrEngine(id);
  const nanoUsd = toNanoUsd(engine?.usdPerPage ?? 0);
  const model = engine ? undefined : findModel(id);
  return model
    ? callCost(model, { messages: transcription(new Uint8Array()) })
    : { maxNanoUsd: nanoUsd, likelyNanoUsd: nanoUsd };
}

/** Whether a text surely fits one call: each byte counts as a token, and half of the context is left to the answer. */
const fitsCall = ({ contextWindow }: Model, bytes: number, instruction: string) =>
  bytes + instruction.length * 4 <= contextWindow / 2;

function textCost(model: Model, instruction: string, bytes: number): CostRange {
  const content = `${instruction}\n\n${'x'.repeat(Math.min(bytes, model.contextWindow))}`;
  return callCost(model, { messages: [{ role: 'user', content }] });
}

import pLimit from 'p-limit';
import { setting } from '../../config.ts';
import { isComposite, likelyKindOf } from '../../documents/kind.ts';
import { type DriveFile, findReadableFile } from '../../drive/file.ts';
import { listFolder } from '../../drive/folder.ts';
import { toNanoUsd, toUsd } from '../../ledger/terms/nano-usd.ts';
import { findModel, findOcrEngine, type Model } from '../../models/catalogue.ts';
import { maxCostNanoUsd } from '../../models/token-bounds.ts';
import { transcription } from '../../ocr/transcription.ts';
import { chatModelOf, ocrModelOf } from '../asked/step-models.ts';
import { maxExtractNanoUsd } from '../kinds/extraction/max-cost.ts';
import {
  folderToList,
  isExpanded,
  maxLeftOut,
  nextPosition,
  type SortedPage,
  sortFiles,
} from '../kinds/folder/folder-files.ts';
import type { FolderJob } from '../kinds/folder/folder-job.ts';
import type { SourceJob } from '../sources/source-job.ts';
import { isPaged } from '../sources/workable.ts';
import { type CountedPages, countPages, pageBytes } from './count-pages.ts';
import type { EstimateQuestion, JobEstimate } from './estimate.ts';
import { jobOf } from './job-of.ts';

/** A folder that takes longer to list is estimated in part. */
const listingMs = 18_000;

/** Estimates what a submission of a drive's files would come to, as its job would list them. */
export async function estimateFiles(question: EstimateQuestion): Promise<JobEstimate> {
  const { keyId, submission, allowedFolders } = question;
  let job = jobOf({ key_id: keyId, job_id: 'job_estimate' }, submission) as FolderJob;
  const total: JobEstimate = {
    dry_run: true,
    files: { found: 0, pending: 0, skipped: 0, unsupported: 0, unreadable: 0 },
    left_out: [],
    left_out_more: 0,
    subfolders: { found: 0, listed: 0 },
    pages: { known: 0, unknown_files: 0, assumed_each: setting('DOCUMENT_LIMITS').pages },
    max_cost_usd: 0,
    unbounded_files: 0,
    is_complete: true,
  };
  const signal = AbortSignal.timeout(listingMs);
  if (submission.drive?.file_id) {
    const file = await findReadableFile(submission.drive.file_id, allowedFolders);
    // A job of one file does it, whatever was done before.
    const page = { files: [file], unreadable: [] };
    await add(total, job, await sortFiles({ ...job, fresh: true }, page, '', signal), signal);
    return total;
  }
  while (!isExpanded(job)) {
    const { id, pageToken } = folderToList(job);
    const page = await listFolder(id, allowedFolders, pageToken);
    const sorted = await sortUntil(signal, () => sortFiles(job, page, id, signal));
    if (!sorted) return { ...total, is_complete: false };
    await add(total, job, sorted, signal);
    job = {
      ...job,
      ...nextPosition(job, { nextPageToken: page.nextPageToken, below: page.folders }),
    };
    total.subfolders = { found: job.folders_found ?? 0, listed: job.folders?.length ?? 0 };
  }
  return total;
}

/** Returns a page's files sorted; undefined once the time is up. */
async function sortUntil(
  signal: AbortSignal,
  sort: () => Promise<SortedPage>,
): Promise<SortedPage | undefined> {
  if (signal.aborted) return undefined;
  try {
    return await sort();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Documents that are opened at once. */
const opening = pLimit(4);

async function add(
  total: JobEstimate,
  job: SourceJob,
  { pending, leftOut, counts }: SortedPage,
  signal: AbortSignal,
): Promise<void> {
  const { files, pages } = total;
  files.found += counts.found;
  files.pending += pending.length;
  files.unsupported += counts.unsupported;
  files.unreadable += counts.unreadable;
  files.skipped += counts.found - counts.unsupported - pending.length;
  const room = maxLeftOut - total.left_out.length;
  total.left_out.push(...leftOut.slice(0, room));
  total.left_out_more += Math.max(0, leftOut.length - room);
  const counted = await Promise.all(
    pending.map(({ file }) => opening(() => countPages(job, file, signal))),
  );
  for (const [index, { file }] of pending.entries()) {
    const { pageCount, maxNanoUsd, isWhole } = boundsOf(job, file, counted[index]);
    if (pageCount === undefined) pages.unknown_files += 1;
    else pages.known += pageCount;
    if (!isWhole) total.unbounded_files += 1;
    total.max_cost_usd = toUsd(toNanoUsd(total.max_cost_usd) + maxNanoUsd);
  }
}

interface Bounds {
  /** Undefined for a document that must be opened to be counted. A text has no pages. */
  pageCount: number | undefined;
  maxNanoUsd: number;
  /** False where the file doesn't show how many calls it takes: then they come on top. */
  isWhole: boolean;
}

function boundsOf(job: SourceJob, file: DriveFile, counted: CountedPages | undefined): Bounds {
  const kind = likelyKindOf(file.mimeType, file.name);
  const asked = { job_type: job.job_type, model: job.asked_model ?? null };
  const chatModel = findModel(chatModelOf(asked));
  const instruction = job.pipeline_instruction ?? '';
  if (!kind) return { pageCount: undefined, maxNanoUsd: 0, isWhole: false };
  if (!isPaged(kind) && job.extract) {
    const fields = isComposite(kind) ? undefined : extractCostOf(chatModel, job, file.size);
    return { pageCount: 0, maxNanoUsd: fields ?? 0, isWhole: fields !== undefined };
  }
  if (!isPaged(kind) && !isComposite(kind) && job.job_type === 'ocr' && !job.pipeline) {
    return { pageCount: 0, maxNanoUsd: 0, isWhole: true };
  }
  if (!isPaged(kind)) {
    const isOneCall = kind !== 'jsonl' && kind !== 'json';
    const text = isOneCall ? textCostOf(chatModel, instruction, file.size) : undefined;
    return { pageCount: 0, maxNanoUsd: text ?? 0, isWhole: text !== undefined };
  }
  const isOnePage = kind === 'image' && file.mimeType !== 'image/tiff';
  const known = isOnePage ? { all: 1, toRead: 1, textBytes: pageBytes } : counted;
  const pageCount = known?.all;
  const pages = (known?.toRead ?? setting('DOCUMENT_LIMITS').pages) * pageCostOf(ocrModelOf(asked));
  if (job.extract) {
    const fields = extractCostOf(chatModel, job, known?.textBytes);
    return { pageCount, maxNanoUsd: pages + (fields ?? 0), isWhole: fields !== undefined };
  }
  if (!job.pipeline) return { pageCount, maxNanoUsd: pages, isWhole: true };
  // One page's text fits a call, whatever it is.
  const isOneCall = pageCount === 1 && chatModel !== undefined;
  const chat = isOneCall
    ? wholeCallCostOf(chatModel)
    : textCostOf(chatModel, instruction, known?.textBytes);
  return { pageCount, maxNanoUsd: pages + (chat ?? 0), isWhole: chat !== undefined };
}

/** The most that taking fields from a text of so many bytes costs; undefined if its length is not known. */
function extractCostOf(model: Model | undefined, job: SourceJob, bytes: number | undefined) {
  return model && bytes !== undefined ? maxExtractNanoUsd(model, job, bytes) : undefined;
}

/** The most that reading one page costs. */
function pageCostOf(id: string): number {
  const engine = findOcrEngine(id);
  if (engine) return toNanoUsd(engine.usdPerPage);
  const model = findModel(id);
  return model ? maxCostNanoUsd(model, { messages: transcription(new Uint8Array()) }) : 0;
}

/** The most that a call about a text of so many bytes costs; undefined if it might not fit one call. */
function textCostOf(
  model: Model | undefined,
  instruction: string,
  bytes: number | undefined,
): number | undefined {
  // Each byte counts as a token here, and half of the context is left to the answer.
  if (!model || bytes === undefined || bytes + instruction.length * 4 > model.contextWindow / 2) {
    return undefined;
  }
  const content = `${instruction}\n\n${'x'.repeat(bytes)}`;
  return maxCostNanoUsd(model, { messages: [{ role: 'user', content }] });
}

/** The most that any call costs. */
const wholeCallCostOf = (model: Model) =>
  maxCostNanoUsd(model, { messages: [{ role: 'user', content: [{ type: 'file' }] }] });

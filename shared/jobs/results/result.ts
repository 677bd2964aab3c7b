import * as v from 'valibot';
import { Count, Usd } from '../../http/schema.ts';
import { ResultWarning } from './warnings.ts';

/** A link to a text that is too long to be sent in the result. */
const Url = v.exactOptional(v.string());

export const TokenCounts = v.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
});

/** The result of a chat job. */
export const ChatResult = v.object({
  type: v.literal('chat'),
  content: v.nullable(v.string()),
  finish_reason: v.string(),
  usage: TokenCounts,
  cost_usd: Usd,
  /** The number of parts in which a long document was put to the model; absent for one. */
  parts: v.exactOptional(Count),
  /** The limit that the key's budget set to the answer, in tokens; absent if there was none. */
  max_tokens: v.exactOptional(Count),
  /** What the text of a document lacks that the model was asked about, by its parts; absent where nothing is. */
  warnings: v.exactOptional(v.array(ResultWarning)),
});

export const LineCounts = v.object({ total: Count, completed: Count, failed: Count });

/** The result of a file of requests: a line of JSON for each of its lines. A batch's names the files instead. */
export const ChatBatchResult = v.object({
  type: v.literal('chat_batch'),
  lines: LineCounts,
  content: v.nullable(v.string()),
  usage: TokenCounts,
  cost_usd: Usd,
  url: Url,
  output_file_id: v.exactOptional(v.string()),
  error_file_id: v.exactOptional(v.string()),
  token_details: v.exactOptional(v.object({ cached_tokens: Count, reasoning_tokens: Count })),
});

/** One page as it was read; a failed one says why in its place. */
export const OcrPage = v.object({
  page: Count,
  /** The file that the page is of, if it is one within the document: an attachment, a file of an archive, a picture. */
  part: v.exactOptional(v.string()),
  source: v.picklist(['ocr', 'text_layer']),
  confidence: v.nullable(v.number()),
  text: v.nullable(v.string()),
  error: v.exactOptional(v.string()),
  /** Whether an earlier job of the key has read it, so that it cost nothing. */
  cached: v.exactOptional(v.boolean()),
});

/** The result of an OCR job. */
export const OcrResult = v.object({
  type: v.literal('ocr'),
  page_count: Count,
  images_used: Count,
  text: v.nullable(v.string()),
  pages: v.array(OcrPage),
  /** The pages that could not be read; absent where all were. */
  failed_pages: v.exactOptional(v.array(Count)),
  /** The pages whose confidence is below `lowConfidence`; absent where none is. */
  low_confidence_pages: v.exactOptional(v.array(Count)),
  /** What is not in the text, or may be wrong in it; absent where nothing is. */
  warnings: v.exactOptional(v.array(ResultWarning)),
  cost_usd: Usd,
  url: Url,
});

/** The result of a pipeline; `chat` is null if that step failed. */
export const PipelineResult = v.object({
  type: v.literal('pipeline'),
  ocr: OcrResult,
  chat: v.nullable(ChatResult),
  cost_usd: Usd,
});

/** Left, top, right and bottom of a rectangle, in per mille of a page as it stands upright. */
export const EvidenceBox = v.pipe(v.array(v.number()), v.length(4));

/** Where a value of an extraction stands. */
export const Evidence = v.object({
  /** The value's place in `data`, as a JSON pointer. */
  path: v.string(),
  page: v.nullable(Count),
  quote: v.nullable(v.string()),
  /** One for each line of the words it was found in. */
  boxes: v.array(EvidenceBox),
  found: v.picklist(['exact', 'normalized', 'not found']),
  /** The measured confidence, from 0 to 1. */
  confidence: v.nullable(v.number()),
});

/** A page of an extraction, and whether a model was asked about it. */
export const CoveredPage = v.object({
  page: Count,
  part: v.exactOptional(v.string()),
  status: v.picklist(['used', 'empty', 'failed', 'left_out']),
  /** Why it was left out, or could not be read. */
  reason: v.exactOptional(v.string()),
  /** By how many degrees, clockwise, it must be turned to stand upright, as boxes say. */
  turn: v.exactOptional(Count),
});

/** A row that stands on a page and that no row of the answer claims. */
export const MissingRow = v.object({ page: Count, text: v.string(), box: v.nullable(EvidenceBox) });

/** The rows of an array, as returned and as counted on the pages. */
export const CoveredArray = v.object({
  path: v.string(),
  returned: Count,
  on_pages: v.nullable(Count),
  missing: v.array(MissingRow),
});

export const ExtractCoverage = v.object({
  pages: v.array(CoveredPage),
  arrays: v.array(CoveredArray),
});

/** The figures of reading the pages that fields were extracted from. */
export const PagesRead = v.pick(OcrResult, [
  ...(['page_count', 'images_used', 'cost_usd'] as const),
  ...(['failed_pages', 'low_confidence_pages', 'warnings'] as const),
]);

/** The result of an extraction; `ocr` is null in the result of the extraction's own job. */
export const ExtractResult = v.object({
  type: v.literal('extract'),
  /** The values in the schema's shape; null where `url` leads to the whole result. */
  data: v.unknown(),
  evidence: v.array(Evidence),
  coverage: ExtractCoverage,
  schema: v.record(v.string(), v.unknown()),
  windows: v.object({ total: Count, repairs: Count, failed: Count }),
  usage: TokenCounts,
  cost_usd: Usd,
  ocr: v.nullable(PagesRead),
  url: Url,
});

/** A file of a folder whose job failed. */
export const FailedFile = v.object({
  job_id: v.string(),
  file_id: v.string(),
  filename: v.string(),
  error: v.string(),
});

export const FileCounts = v.object({
  found: Count,
  done: Count,
  failed: Count,
  cancelled: Count,
  /** Files that an earlier job has done, or is at work on. */
  skipped: Count,
  unsupported: Count,
});

/** A file of a folder that no job was made for, and why. */
export const LeftOutFile = v.object({
  file_id: v.string(),
  filename: v.string(),
  reason: v.picklist(['unsupported_file_type', 'already_submitted', 'unreadable']),
  /** The earlier job that has done it, or is at work on it. */
  job_id: v.exactOptional(v.string()),
});

export const SubfolderCounts = v.object({ found: Count, listed: Count });

/** The result of a folder's job, once the last file's job has ended. */
export const FolderResult = v.object({
  type: v.literal('folder'),
  files: FileCounts,
  /** The first hundred; `GET /batch/jobs?parent_job_id=` lists them all. */
  failed_files: v.array(FailedFile),
  /** The first hundred; `left_out_more` counts those beyond. */
  left_out: v.array(LeftOutFile),
  left_out_more: Count,
  subfolders: SubfolderCounts,
  cost_usd: Usd,
});

export const JobResult = v.variant('type', [
  ChatResult,
  ChatBatchResult,
  OcrResult,
  PipelineResult,
  ExtractResult,
  FolderResult,
]);

export type TokenCounts = v.InferOutput<typeof TokenCounts>;
export type ChatResult = v.InferOutput<typeof ChatResult>;
export type ChatBatchResult = v.InferOutput<typeof ChatBatchResult>;
export type OcrPage = v.InferOutput<typeof OcrPage>;
export type OcrResult = v.InferOutput<typeof OcrResult>;
export type ExtractResult = v.InferOutput<typeof ExtractResult>;
export type PagesRead = v.InferOutput<typeof PagesRead>;
export type PipelineResult = v.InferOutput<typeof PipelineResult>;
/** The longest file name in a folder's result, in characters: it names a hundred files, and Drive's names have no limit. */
const maxShownName = 200;

/** Returns a file's name as a folder's result has it. */
export const shownName = (name: string) => name.slice(0, maxShownName).toWellFormed();

export type FailedFile = v.InferOutput<typeof FailedFile>;
export type LeftOutFile = v.InferOutput<typeof LeftOutFile>;
export type FolderResult = v.InferOutput<typeof FolderResult>;
export type JobResult = v.InferOutput<typeof JobResult>;

import * as v from 'valibot';

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Usd = v.pipe(v.number(), v.minValue(0));
/** A link to what is too long for any answer. */
const Url = v.exactOptional(v.string());

export const TokenCounts = v.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
});

/** What a finished chat job answers. */
export const ChatResult = v.object({
  type: v.literal('chat'),
  content: v.nullable(v.string()),
  finish_reason: v.string(),
  usage: TokenCounts,
  cost_usd: Usd,
  /** In how many parts a document was answered that is too long for the model; absent for one. */
  parts: v.exactOptional(Count),
});

export const LineCounts = v.object({ total: Count, completed: Count, failed: Count });

/** What a run of a batch file's lines answers; `content` is the results' JSON lines. */
export const ChatBatchResult = v.object({
  type: v.literal('chat_batch'),
  lines: LineCounts,
  content: v.nullable(v.string()),
  usage: TokenCounts,
  cost_usd: Usd,
  url: Url,
});

/** One page as it was read; a failed one says why in its place. */
export const OcrPage = v.object({
  page: Count,
  source: v.picklist(['ocr', 'text_layer']),
  confidence: v.nullable(v.number()),
  text: v.nullable(v.string()),
  error: v.exactOptional(v.string()),
});

/** What a finished OCR job answers. */
export const OcrResult = v.object({
  type: v.literal('ocr'),
  page_count: Count,
  images_used: Count,
  text: v.nullable(v.string()),
  pages: v.array(OcrPage),
  /** The pages that could not be read; absent where all were. */
  failed_pages: v.exactOptional(v.array(Count)),
  cost_usd: Usd,
  url: Url,
});

/** What a pipeline answers: the chat step's is missing where it failed. */
export const PipelineResult = v.object({
  type: v.literal('pipeline'),
  ocr: OcrResult,
  chat: v.nullable(ChatResult),
  cost_usd: Usd,
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
  /** Already done, or being worked on, by an earlier job. */
  skipped: Count,
  unsupported: Count,
});

/** What a folder's job answers once its last file has ended. */
export const FolderResult = v.object({
  type: v.literal('folder'),
  files: FileCounts,
  /** The first hundred; `GET /batch/jobs?parent_job_id=` lists them all. */
  failed_files: v.array(FailedFile),
});

export const JobResult = v.variant('type', [
  ChatResult,
  ChatBatchResult,
  OcrResult,
  PipelineResult,
  FolderResult,
]);

export type TokenCounts = v.InferOutput<typeof TokenCounts>;
export type ChatResult = v.InferOutput<typeof ChatResult>;
export type ChatBatchResult = v.InferOutput<typeof ChatBatchResult>;
export type OcrPage = v.InferOutput<typeof OcrPage>;
export type OcrResult = v.InferOutput<typeof OcrResult>;
export type PipelineResult = v.InferOutput<typeof PipelineResult>;
export type FailedFile = v.InferOutput<typeof FailedFile>;
export type FolderResult = v.InferOutput<typeof FolderResult>;
export type JobResult = v.InferOutput<typeof JobResult>;

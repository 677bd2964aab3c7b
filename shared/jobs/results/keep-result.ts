import { signedUrl } from '../../aws/signed-url.ts';
import type { ClaimedJob, Job } from '../engine/item/job.ts';
import { getText, isLong, isShort, putJson, putText } from '../engine/item/objects.ts';
import { completeJob } from '../engine/item/state.ts';
import type { RunEnd } from '../engine/run/run-job.ts';
import type { ChatBatchResult, ExtractResult, JobResult, OcrResult } from './result.ts';

/** How long a link to a text works, if the credentials that sign it do. */
const linkSeconds = 3600;

type KeptResult = Pick<Job, 'result_json' | 'result_object' | 'text_object' | 'warnings'>;

/** Returns the attributes of a result. A large one goes to object storage, each attempt's to its own object. */
export async function keepResult(job: ClaimedJob, whole: JobResult): Promise<KeptResult> {
  const { result, text } = withoutLongText(whole);
  const kept = {
    ...warningsIn(result),
    ...(text !== undefined && { text_object: await putText(job, `text-${job.lease_id}`, text) }),
  };
  const json = JSON.stringify(result);
  if (isShort(json)) return { result_json: json, ...kept };
  return {
    result_json: JSON.stringify(summaryOf(result)),
    result_object: await putJson(job, `result-${job.lease_id}`, json),
    ...kept,
  };
}

/** Returns the attribute that holds a short result; undefined for one that goes to object storage. */
export function inlineResult(result: JobResult): { result_json: string } | undefined {
  const result_json = JSON.stringify(result);
  return isShort(result_json) ? { result_json } : undefined;
}

/** Reads a job's result as JSON, without links. */
export async function keptResult(job: Job): Promise<string | undefined> {
  return job.result_object ? await getText(job.result_object) : job.result_json;
}

/** Reads the whole result of a job that took fields; undefined if there is none. */
export async function wholeExtract(job: Job): Promise<ExtractResult | undefined> {
  const json = job.text_object ? await getText(job.text_object) : await keptResult(job);
  return json === undefined ? undefined : (JSON.parse(json) as ExtractResult);
}

/** Reads a job's whole result as JSON for callers: a text too long for it is behind a signed link. */
export async function wholeResult(job: Job): Promise<string | undefined> {
  const json = await keptResult(job);
  if (!json || !job.text_object) return json;
  const url = await signedUrl(job.text_object, linkSeconds);
  return JSON.stringify(withUrl(JSON.parse(json) as JobResult, url));
}

/** The end of a run with a result, and with what else is to be on the job's record then. */
export const completionOf =
  <Its extends ClaimedJob>(job: Its, result: JobResult, beside: Partial<Its> = {}): RunEnd =>
  async () =>
    completeJob<ClaimedJob>(job, { ...(await keepResult(job, result)), ...(beside as object) });

/** How much a result warns of, for lists of jobs. */
function warningsIn(result: JobResult): { warnings?: number } {
  const read = 'ocr' in result ? result.ocr : result;
  const count = read && 'warnings' in read ? read.warnings?.length : 0;
  return count ? { warnings: count } : {};
}

/** A result; and its text, if that is too long to be part of it. */
interface Split {
  result: JobResult;
  text?: string;
}

/** Takes a document's text out of its result if it is too long to be sent within it. */
function withoutLongText(result: JobResult): Split {
  if (result.type === 'pipeline') {
    const { result: ocr, text } = withoutLongText(result.ocr);
    return text === undefined ? { result } : { result: { ...result, ocr: ocr as OcrResult }, text };
  }
  if (result.type === 'extract') {
    const text = JSON.stringify(result);
    return isLong(text) ? { result: withoutFields(result), text } : { result };
  }
  const text = textOf(result);
  if (typeof text !== 'string' || !isLong(text)) return { result };
  return { result: withoutText(result), text };
}

/** The part of an extraction that stays on the job when the whole lies behind a link. */
const withoutFields = (result: ExtractResult): ExtractResult => ({
  ...result,
  data: null,
  evidence: [],
  coverage: { pages: [], arrays: result.coverage.arrays.map((each) => ({ ...each, missing: [] })) },
});

/** What a list shows of an extraction: its values, with what has no place, if that is short. */
function valuesOf(result: ExtractResult): ExtractResult {
  const evidence = result.evidence.filter(({ found }) => found === 'not found');
  const listed = { ...withoutFields(result), data: result.data, evidence };
  return isShort(JSON.stringify(listed)) ? listed : withoutFields(result);
}

/** What a list shows of a result that lies in object storage: all but its text. */
function summaryOf(result: JobResult): JobResult {
  if (result.type === 'chat') return { ...result, content: null };
  if (result.type === 'pipeline') {
    const chat = result.chat && { ...result.chat, content: null };
    return { ...result, ocr: { ...withoutText(result.ocr), pages: [] } as OcrResult, chat };
  }
  if (result.type === 'extract') return valuesOf(result);
  if (result.type === 'folder') return { ...result, failed_files: [], left_out: [] };
  return result.type === 'ocr' ? { ...result, text: null, pages: [] } : withoutText(result);
}

/** Puts a link to its text into a result. */
function withUrl(result: JobResult, url: string): object {
  return result.type === 'pipeline'
    ? { ...result, ocr: { ...result.ocr, url } }
    : { ...result, url };
}

function textOf(result: JobResult): string | null | undefined {
  if (result.type === 'ocr') return result.text;
  return result.type === 'chat_batch' ? result.content : undefined;
}

function withoutText<Result extends JobResult>(result: Result): Result {
  if (result.type === 'ocr') {
    const pages = result.pages.map((page) => ({ ...page, text: null }));
    return { ...result, text: null, pages };
  }
  return result.type === 'chat_batch'
    ? ({ ...(result as ChatBatchResult), content: null } as Result)
    : result;
}

import { signedUrl } from '../../aws/signed-url.ts';
import type { ClaimedJob, Job } from '../engine/item/job.ts';
import { completeJob } from '../engine/item/job-end.ts';
import { getText, isLong, isShort, plainText, putObject } from '../engine/item/objects.ts';
import type { RunEnd } from '../engine/run/run-job.ts';
import type { ExtractResult, JobResult, OcrResult } from './result.ts';

/** How long a link to a text works, if the credentials that sign it do. */
const linkSeconds = 3600;

type KeptResult = Pick<Job, 'result_json' | 'result_object' | 'text_object' | 'warnings'>;

/** Returns the attributes of a result. A large one goes to object storage, each attempt's to its own object. */
export async function keepResult(job: ClaimedJob, whole: JobResult): Promise<KeptResult> {
  const { result, text } = withoutLongText(whole);
  const kept = {
    ...warningsIn(result),
    ...(text !== undefined && {
      text_object: await putObject(job, `text-${job.lease_id}`, text, plainText),
    }),
  };
  const json = JSON.stringify(result);
  if (isShort(json)) return { result_json: json, ...kept };
  return {
    result_json: JSON.stringify(summaryOf(result)),
    result_object: await putObject(job, `result-${job.lease_id}.json`, json),
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

/** Takes a document's text out of its result if it is too long for a response. */
function withoutLongText(result: JobResult): { result: JobResult; text?: string } {
  const text = textOf(result);
  return text && isLong(text) ? { result: withoutText(result), text } : { result };
}

/** The part of a result that may be too long. */
function textOf(result: JobResult): string | null {
  if (result.type === 'ocr') return result.text;
  if (result.type === 'pipeline') return result.ocr.text;
  if (result.type === 'extract') return JSON.stringify(result);
  return result.type === 'chat_batch' ? result.content : null;
}

/** Returns a result without the text that lies behind a link. */
function withoutText(result: JobResult): JobResult {
  if (result.type === 'ocr') return withoutTexts(result);
  if (result.type === 'pipeline') return { ...result, ocr: withoutTexts(result.ocr) };
  if (result.type === 'extract') return withoutFields(result);
  return result.type === 'chat_batch' ? { ...result, content: null } : result;
}

const withoutTexts = (result: OcrResult): OcrResult => ({
  ...result,
  text: null,
  pages: result.pages.map((page) => ({ ...page, text: null })),
});

const withoutFields = (result: ExtractResult): ExtractResult => ({
  ...result,
  data: null,
  evidence: [],
  coverage: { pages: [], arrays: result.coverage.arrays.map((each) => ({ ...each, missing: [] })) },
});

/** Returns an extraction as lists show it: its values and those without a place, if they are short. */
function valuesOf(result: ExtractResult): ExtractResult {
  const evidence = result.evidence.filter(({ found }) => found === 'not found');
  const listed = { ...withoutFields(result), data: result.data, evidence };
  return isShort(JSON.stringify(listed)) ? listed : withoutFields(result);
}

/** Returns a result in object storage as lists show it: all but its text. */
function summaryOf(result: JobResult): JobResult {
  if (result.type === 'chat') return { ...result, content: null };
  if (result.type === 'pipeline') {
    const chat = result.chat && { ...result.chat, content: null };
    return { ...result, ocr: { ...result.ocr, text: null, pages: [] }, chat };
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

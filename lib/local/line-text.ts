import { dollars } from '../cli/text.ts';
import type { EndedRequest, Fields } from './request-line.ts';

/** Describes a request after its status: `POST /v1/chat/completions 412 ms shop gpt-5-mini 120+48 tokens $0.00013`. */
export function requestText({ method, path, ms, fields }: EndedRequest): string {
  const { key, model, error } = fields;
  const text = words(method, path, `${Math.round(ms)} ms`, key, model, ...useWords(fields));
  return error ? `${text}: ${error}` : text;
}

/** Describes a job's end after its status: `ocr 3f0c… shop: …error… after 2 retries, 14 of 20 pages`. */
export function jobText(fields: Fields): string {
  const { job_type, job_id, key, model, error, retries, pages, pages_total } = fields;
  const pageWords = progressWords(pages, pages_total, 'page') ?? filesWords(fields);
  const tried = retries ? `after ${counted(retries, 'retry', 'retries')}` : undefined;
  if (error === undefined) {
    return words(job_type, job_id, key, model, tried, pageWords, ...useWords(fields));
  }
  return [`${words(job_type, job_id, key)}: ${words(error, tried)}`, pageWords]
    .filter(Boolean)
    .join(', ');
}

/** Says how far something came: `14 of 20 pages`; undefined if nobody knows how many there are. */
function progressWords(done: unknown, total: unknown, noun: string): string | undefined {
  if (typeof total !== 'number') return undefined;
  const all = counted(total, noun, `${noun}s`);
  return typeof done === 'number' && done !== total ? `${done} of ${all}` : all;
}

/** Says what became of a folder's files: `42 of 50 files, 8 failed`; undefined for what is no folder. */
function filesWords({ files, files_failed, files_total }: Fields): string | undefined {
  const all = progressWords(files, files_total, 'file');
  return all && Number(files_failed) > 0 ? `${all}, ${files_failed} failed` : all;
}

function useWords({ prompt_tokens, completion_tokens, searches, cost_usd }: Fields): string[] {
  return [
    ...(prompt_tokens === undefined ? [] : [`${prompt_tokens}+${completion_tokens} tokens`]),
    ...(searches === undefined ? [] : [counted(searches, 'search', 'searches')]),
    ...(typeof cost_usd === 'number' ? [dollars(rounded(cost_usd))] : []),
  ];
}

/** Leaves small amounts two digits that count. */
const rounded = (usd: number) => Number(usd < 0.1 ? usd.toPrecision(2) : usd.toFixed(2));

const counted = (count: unknown, one: string, many: string) =>
  `${count} ${count === 1 ? one : many}`;

/** Joins what is there. Characters that steer a terminal become spaces: a caller chooses names and paths. */
const words = (...parts: unknown[]) =>
  parts
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map((part) => String(part).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '))
    .join(' ');

import { styleText } from 'node:util';
import { dollars } from '../cli/text.ts';
import { type EndedRequest, type Fields, RequestLine } from './request-line.ts';

type Style = Parameters<typeof styleText>[0];

/** Prints what happens in the stage: a readable line for each event. */
export class Narrator {
  /** Whether functions write their metrics, which are for CloudWatch. */
  readonly wantsMetrics: boolean = false;
  private readonly write: (line: string) => void;
  /** The lines of requests that are not over, by request id. */
  private readonly open = new Map<string, RequestLine>();

  constructor(write: (line: string) => void) {
    this.write = write;
  }

  /** Begins the line of a request. It is printed once the request is over and its function has said what it did. */
  request(id: string, method: string, path: string): RequestLine {
    const line = new RequestLine(method, path, (request) => {
      this.open.delete(id);
      this.line(headOf(request), requestText(request));
    });
    this.open.set(id, line);
    return line;
  }

  /** Prints a function's line, JSON made readable. What it says of a request or a job goes into that one's line. */
  functionLine(name: string, text: string): void {
    // Metrics are for CloudWatch.
    if (text.startsWith('{"_aws"')) return;
    const entry = parse(text);
    if (!entry) {
      this.line(name, text);
      return;
    }
    const { level, message, stack, key_id: _, function: __, ...fields } = entry;
    if (message === 'request') this.open.get(String(fields['request_id']))?.described(fields);
    else if (message === 'job ended') this.jobEnded(fields);
    else if (!stepOfJob.test(String(message))) {
      const style: Style = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'cyan';
      const details = Object.entries(fields).map(([key, value]) => `${key}=${value}`);
      this.line(styleText(style, String(message)), [...details, stack ?? ''].join(' '));
    }
  }

  private jobEnded(fields: Fields): void {
    const { status } = fields;
    const style: Style = status === 'failed' ? 'red' : status === 'done' ? 'green' : 'yellow';
    this.line(styleText(style, String(status)), jobText(fields));
  }

  /** Tells of the stage itself: what its start does, what has ended by itself, and what goes wrong. */
  tell(what: keyof typeof styles, text: string): void {
    this.line(styleText(styles[what], what), text);
  }

  private line(head: string, text: string): void {
    const time = new Date().toTimeString().slice(0, 8);
    this.write(`${styleText('dim', time)} ${head} ${text}`.trimEnd());
  }
}

const styles = { start: 'cyan', crash: 'red', problem: 'red' } as const;

/** What a worker logs of a job on its way, and again at its end. */
const stepOfJob = /^job (started|queued|processing|done|failed|cancelled)$/;

function headOf({ status, hungUp }: EndedRequest): string {
  if (hungUp) return styleText('yellow', 'hung up');
  const style: Style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  return styleText(style, String(status));
}

function parse(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Describes a request after its status: `POST /v1/chat/completions 412 ms shop gpt-5-mini 120+48 tokens $0.00013`. */
function requestText({ method, path, ms, fields }: EndedRequest): string {
  const { key, model, error } = fields;
  const text = words(method, path, `${Math.round(ms)} ms`, key, model, ...useWords(fields));
  return error ? `${text}: ${error}` : text;
}

/** Describes a job's end after its status: `ocr 3f0c… shop: …error… after 2 retries, 14 of 20 pages`. */
function jobText(fields: Fields): string {
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

/** Says what became of a folder's files: `42 of 50 files, 8 failed`; undefined for another job. */
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

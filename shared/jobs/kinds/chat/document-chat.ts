import type { Answer } from '../../../chat/ask.ts';
import type { Model } from '../../../models/catalogue.ts';
import type { Claimed } from '../../engine/item/job.ts';
import { orGoOn, type RunEnd } from '../../engine/run/run-job.ts';
import { completionOf } from '../../results/keep-result.ts';
import type { ChatResult } from '../../results/result.ts';
import type { ResultWarning } from '../../results/warnings.ts';
import { deliver } from '../../sources/delivery.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { chatResultOf } from './ask.ts';
import { askAbout } from './ask-about.ts';

interface ChatPurpose {
  use: 'chat' | 'pipeline';
  /** The job that the answer names, if it isn't the one that asks. */
  forJobId?: string;
  /** What the text of the document lacks. */
  warnings?: ResultWarning[];
}

/** Asks about a document's pages. `purpose` says what the calls are for, and the caller's job. */
export async function answerPages(
  job: Claimed<SourceJob>,
  model: Model,
  pages: string[],
  signal: AbortSignal,
  purpose: ChatPurpose = { use: 'chat' },
): Promise<RunEnd> {
  const progress = { calls: 0 };
  const { use } = purpose;
  const about = { job, model, pages, use, instruction: job.pipeline_instruction, progress };
  const hasMoved = () => progress.calls > 0;
  return orGoOn(job, signal, hasMoved, async () => {
    const { answer, parts } = await askAbout(about, signal);
    return finishChat(job, answer, parts, purpose);
  });
}

/** Ends a chat about a document with its answer, which is written beside the document. */
export async function finishChat(
  job: Claimed<SourceJob>,
  answer: Answer,
  parts = 1,
  purpose: ChatPurpose = { use: 'chat' },
): Promise<RunEnd> {
  const { warnings = [] } = purpose;
  const result: ChatResult = {
    ...chatResultOf(answer),
    ...(parts > 1 && { parts }),
    ...(warnings.length > 0 && { warnings }),
  };
  const text = withHead(answer.content ?? '', headOf(job, purpose));
  const delivery = await deliver(job, { suffix: '.result.md', mimeType: 'text/markdown', text });
  return completionOf(job, result, delivery);
}

const headOf = (job: SourceJob, { forJobId = job.job_id }: ChatPurpose): AnswerHead => ({
  question: job.pipeline_instruction,
  model: job.model,
  job: forJobId,
  source: job.filename,
});

/** The front matter of an answer. */
interface AnswerHead {
  /** Absent where the document itself was the prompt. */
  question: string | undefined;
  model: string;
  job: string;
  source: string | undefined;
}

/** Returns an answer as Markdown with front matter. Strings are written as JSON, which is YAML too. */
export function withHead(answer: string, { question, model, job, source }: AnswerHead): string {
  const fields = { question, model, date: new Date().toISOString(), job, source };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${quoted(value)}`,
  );
  return ['---', ...lines, '---', '', answer].join('\n');
}

/** Quotes a string. What JSON may leave as it is and YAML may not have in a line is escaped. */
const quoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

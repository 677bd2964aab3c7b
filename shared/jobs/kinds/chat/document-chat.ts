import type { Answer } from '../../../chat/ask.ts';
import { unsupportedFile } from '../../../documents/errors.ts';
import { isComposite } from '../../../documents/kind.ts';
import { documentTexts } from '../../../documents/parts/document-texts.ts';
import { kindInWords } from '../../../documents/type-words.ts';
import type { ClaimedJob } from '../../engine/item/job.ts';
import { getDocument } from '../../engine/item/objects.ts';
import { continueJob, saveProgress } from '../../engine/item/state.ts';
import { chargeSubjectOf } from '../../engine/item/steps.ts';
import { completionOf, type RunEnd } from '../../engine/run/run-leased.ts';
import type { ChatResult } from '../../results/result.ts';
import { deliver } from '../../sources/delivery.ts';
import { fetchSource, type SourcedJob } from '../../sources/source.ts';
import { withFile } from '../../sources/source-file.ts';
import { canWorkOn, isPaged } from '../../sources/workable.ts';
import { runBatchFile } from '../requests/run-requests.ts';
import { askOnce, chatResultOf } from './ask.ts';
import { askAbout } from './ask-about.ts';
import { messagesIn, readTextFile, textLimits } from './read-texts.ts';
import { chatModelOf, requireJobModel } from './step-models.ts';

/** Runs a chat job about the pages that a pipeline's OCR has read. */
export async function chatAboutPages(job: ClaimedJob, signal: AbortSignal): Promise<RunEnd> {
  return answerPages(job, await getDocument(job.document_object ?? ''), signal);
}

/** Runs a chat job about a file of the drive: a conversation, a file of requests, or a text. */
export async function chatAboutFile(job: ClaimedJob, signal: AbortSignal): Promise<RunEnd> {
  const fetched = await fetchSource(job, signal);
  const { source_kind, filename } = fetched;
  if (!canWorkOn(job, source_kind) || isPaged(source_kind)) {
    const advice = ' by chat alone: use job_type ocr, or the pipeline ocr_then_chat';
    throw unsupportedFile(filename, kindInWords(source_kind), advice);
  }
  const sourced = await withChatModel(fetched);
  if (source_kind === 'jsonl') return runBatchFile(sourced, signal);
  if (isComposite(source_kind)) {
    const limits = textLimits(job, signal);
    const read = (path: string) => documentTexts(path, source_kind, filename, limits);
    return answerPages(sourced, await withFile(sourced.source_object, read, signal), signal);
  }
  const text = await withFile(
    sourced.source_object,
    (path) => readTextFile(path, filename),
    signal,
  );
  const messages =
    source_kind === 'json' ? messagesIn(requireJobModel(sourced.model), text, filename) : undefined;
  if (messages) return answerMessages(sourced, messages, signal);
  return answerPages(sourced, [text], signal);
}

async function answerMessages(
  job: SourcedJob,
  messages: unknown[],
  signal: AbortSignal,
): Promise<RunEnd> {
  const model = requireJobModel(job.model);
  const answer = await askOnce(job, 'chat', {
    keyId: job.key_id,
    model,
    body: { model: model.id, messages },
    subject: chargeSubjectOf(job),
    signal,
  });
  return finish(job, answer);
}

async function answerPages(job: ClaimedJob, pages: string[], signal: AbortSignal): Promise<RunEnd> {
  const model = requireJobModel(job.model);
  const progress = { calls: 0 };
  const about = { job, model, pages, instruction: job.pipeline_instruction, progress };
  try {
    const { answer, parts } = await askAbout(about, signal);
    return await finish(job, answer, parts);
  } catch (error) {
    // What was answered stays answered: the job goes on from there.
    if (signal.aborted && progress.calls > 0) return () => continueJob(job);
    throw error;
  }
}

/** Only now is an `auto` job known to be a chat: from here on its record names the model that chats. */
async function withChatModel(job: SourcedJob): Promise<SourcedJob> {
  const { job_type, asked_model = null } = job;
  const model = job_type === 'chat' ? job.model : chatModelOf({ job_type, model: asked_model });
  if (job.model === model) return job;
  return saveProgress(job, { model });
}

async function finish(job: ClaimedJob, answer: Answer, parts = 1): Promise<RunEnd> {
  const result: ChatResult = { ...chatResultOf(answer), ...(parts > 1 && { parts }) };
  const { error } = await deliver(job, {
    suffix: '.result.md',
    mimeType: 'text/markdown',
    text: withHead(answer.content ?? '', headOf(job)),
  });
  return completionOf(job, result, error ? { error } : {});
}

/** A pipeline's chat step answers for the job that was submitted. */
const headOf = (job: ClaimedJob): AnswerHead => ({
  question: job.pipeline_instruction,
  model: job.model,
  job: (job.document_object && job.parent_job_id) || job.job_id,
  source: job.filename,
});

/** What is said of an answer at its head. */
interface AnswerHead {
  /** Absent where the document itself was the prompt. */
  question: string | undefined;
  model: string;
  job: string;
  source: string | undefined;
}

/**
 * Returns an answer as Markdown with front matter: what was asked, of which model, when, and by which job.
 * Strings are written as JSON, which is YAML too.
 */
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

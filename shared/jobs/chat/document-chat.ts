import { readFile, stat } from 'node:fs/promises';
import * as v from 'valibot';
import type { Answer } from '../../chat/ask.ts';
import { findFileId, Messages, noFileIds } from '../../chat/completion-message.ts';
import { refuseInMessages } from '../../chat/unsupported-parameters.ts';
import { unsupportedFile } from '../../documents/errors.ts';
import { textPages } from '../../documents/file-text.ts';
import { isComposite } from '../../documents/kind.ts';
import { decodeText } from '../../documents/text.ts';
import { kindInWords } from '../../documents/type-words.ts';
import { ServiceError, UnprocessableEntityError } from '../../http/errors.ts';
import { faultIn } from '../../http/field-errors.ts';
import { excessIn, readJson } from '../../http/read-json.ts';
import type { Model } from '../../models/catalogue.ts';
import { deliver } from '../files/delivery.ts';
import { fetchSource, type SourcedJob } from '../files/source.ts';
import { withFile } from '../files/source-file.ts';
import type { ClaimedJob } from '../job.ts';
import { canWorkOn, isPaged } from '../kinds.ts';
import { getDocument } from '../objects.ts';
import type { ChatResult } from '../result.ts';
import { completionOf, type RunEnd } from '../run-leased.ts';
import { continueJob, saveProgress } from '../state.ts';
import { chatModelOf, requireJobModel } from '../step-models.ts';
import { chargeSubjectOf } from '../steps.ts';
import { askOnce, chatResultOf } from './ask.ts';
import { askAbout } from './ask-about.ts';
import { runBatchFile } from './batch-file.ts';
import { type AnswerHead, withHead } from './result-head.ts';
import { maxTextBytes, textLimits } from './text-limits.ts';

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
    const read = (path: string) => textPages(path, source_kind, filename, limits);
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

async function readTextFile(path: string, name: string): Promise<string> {
  const { size } = await stat(path);
  if (size > maxTextBytes) {
    const mb = maxTextBytes / 1024 / 1024;
    throw new ServiceError(422, 'file_too_large', `${name} has more than ${mb} MB of text.`);
  }
  return decodeText(await readFile(path));
}

const Conversation = v.object({ messages: Messages });

/** A JSON file with `messages` is a conversation; any other is a text. */
function messagesIn(model: Model, text: string, name: string): unknown[] | undefined {
  const invalid = (wrong: string) => new ServiceError(422, 'invalid_messages', `${name}: ${wrong}`);
  const excess = excessIn(text);
  if (excess?.loc[0] === 'messages') throw invalid(`messages: ${excess.msg}`);
  if (excess?.type === 'too_long') return undefined;
  const json = readJson(text);
  if ('fault' in json || typeof json.value !== 'object' || json.value === null) return undefined;
  if (!('messages' in json.value)) return undefined;
  if (excess) throw invalid(excess.msg);
  const read = v.safeParse(Conversation, json.value, { abortEarly: true });
  if (!read.success) throw invalid(faultIn(read.issues[0], 'messages'));
  const { messages } = read.output;
  const fileId = findFileId(messages);
  if (fileId) throw invalid(`messages.${fileId.join('.')}: ${noFileIds}`);
  try {
    refuseInMessages(model, messages, []);
  } catch (error) {
    if (!(error instanceof UnprocessableEntityError)) throw error;
    throw invalid(error.message);
  }
  return messages;
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

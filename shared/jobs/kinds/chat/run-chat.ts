import { unsupportedFile } from '../../../documents/errors.ts';
import { isComposite } from '../../../documents/kind.ts';
import { documentTexts } from '../../../documents/parts/document-texts.ts';
import { kindInWords } from '../../../documents/type-words.ts';
import type { WarnedText } from '../../../documents/warnings.ts';
import { maxTextBytes } from '../../../http/bounds.ts';
import type { Model } from '../../../models/catalogue.ts';
import { messagesOf } from '../../asked/messages.ts';
import { callOf } from '../../asked/model-call.ts';
import { chatModelOf, requireJobModel } from '../../asked/task.ts';
import { type Claimed, roomOf } from '../../engine/item/job.ts';
import { saveProgress } from '../../engine/item/job-lease.ts';
import type { EndedJob, RunEnd } from '../../engine/run/run-job.ts';
import type { ChatResult } from '../../results/result.ts';
import { warningsOfTexts } from '../../results/warnings.ts';
import { fetchSource } from '../../sources/source.ts';
import { readSourceText, withFile } from '../../sources/source-file.ts';
import { canWorkOn, isPaged, type Sourced, type SourceJob } from '../../sources/source-job.ts';
import { runRequests } from '../requests/run-requests.ts';
import { askOnce, askToEnd } from './ask.ts';
import type { ChatJob } from './chat-job.ts';
import { answerPages, finishChat } from './document-chat.ts';
import { keptAnswers } from './kept-answers.ts';
import { messagesIn, textLimits, withFileTexts } from './read-texts.ts';

/** Runs a chat job. */
export async function runChat(job: Claimed<ChatJob>, signal: AbortSignal) {
  if (job.stop_reason) return keptAnswers(job);
  return job.input_type === 'inline' ? answerMessages(job, signal) : chatAboutFile(job, signal);
}

async function answerMessages(
  job: Claimed<ChatJob>,
  signal: AbortSignal,
): Promise<ChatResult | EndedJob> {
  using room = await roomOf(job, 0);
  const messages = await withFileTexts(await messagesOf(job, room), textLimits(job, signal));
  const call = callOf(job, 'chat', requireJobModel(job.model), messages, signal);
  return await askToEnd(job, 'chat', call);
}

/** Asks a model about a file of the drive: a conversation, a file of requests, or a text. */
export async function chatAboutFile<Its extends SourceJob>(
  job: Claimed<Its>,
  signal: AbortSignal,
): Promise<RunEnd> {
  const fetched = await fetchSource(job, signal);
  const { source_kind, filename } = fetched;
  if (!canWorkOn(job, source_kind) || isPaged(source_kind)) {
    const advice = ' by chat alone: use job_type ocr, or the pipeline ocr_then_chat';
    throw unsupportedFile(filename, kindInWords(source_kind), advice);
  }
  const sourced = await withChatModel(fetched);
  if (source_kind === 'jsonl') return runRequests(sourced, signal);
  const model = requireJobModel(sourced.model);
  using room = await roomOf(job, isComposite(source_kind) ? maxTextBytes : 0);
  if (isComposite(source_kind)) {
    const pages = await withFile(
      sourced.source_object,
      (path) => documentTexts(path, source_kind, filename, textLimits(job, signal)),
      signal,
    );
    room.keep(pages.reduce((sum, { text }) => sum + text.length, 0));
    return await answerTexts(sourced, model, pages, signal);
  }
  const read = await readSourceText(sourced, room, signal);
  const messages = source_kind === 'json' && messagesIn(model, read.text, filename);
  if (!messages) return await answerTexts(sourced, model, [read], signal);
  const call = callOf(sourced, 'chat', model, messages, signal);
  return await finishChat(sourced, await askOnce(sourced, 'chat', call));
}

const answerTexts = (job: Sourced, model: Model, texts: WarnedText[], signal: AbortSignal) =>
  answerPages(
    job,
    model,
    texts.map(({ text }) => text),
    signal,
    { use: 'chat', warnings: warningsOfTexts(texts) },
  );

/** Only now is an `auto` job known to be a chat: from here on its record names the model that chats. */
async function withChatModel(job: Sourced): Promise<Sourced> {
  const { job_type, asked_model = null } = job;
  const model = job_type === 'chat' ? job.model : chatModelOf({ job_type, model: asked_model });
  if (job.model === model) return job;
  return saveProgress(job, { model });
}

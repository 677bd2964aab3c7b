import * as v from 'valibot';
import { findFileId, type Message, Messages, noFileIds } from '../../../chat/completion-message.ts';
import { refuseInMessages } from '../../../chat/unsupported-parameters.ts';
import { setting } from '../../../config.ts';
import type { TextLimits } from '../../../documents/parts/document-texts.ts';
import { fileText } from '../../../documents/parts/file-text.ts';
import { underName } from '../../../documents/parts/part.ts';
import { maxTextBytes } from '../../../http/bounds.ts';
import { ServiceError, UnprocessableEntityError } from '../../../http/errors.ts';
import { faultIn } from '../../../http/field-errors.ts';
import { excessIn, readJson } from '../../../http/read-json.ts';
import type { Model } from '../../../models/catalogue.ts';
import { newTempDir } from '../../../temp-dir.ts';
import { type InlineFile, inlineFileOf } from '../../asked/inline-files.ts';
import type { JobKey } from '../../engine/item/job.ts';

/** Returns how long the text of a job's document may be. */
export const textLimits = ({ key_id }: JobKey, signal?: AbortSignal): TextLimits => ({
  pages: setting('DOCUMENT_LIMITS').pages,
  characters: maxTextBytes,
  turn: key_id,
  signal,
});

const Conversation = v.object({ messages: Messages });

/** Returns the conversation in a JSON file with `messages`; undefined for another file. Throws for invalid messages. */
export function messagesIn(model: Model, text: string, name: string): unknown[] | undefined {
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

/** Returns messages with the text of each file in its place: no model has to know the formats. */
export async function withFileTexts(messages: Message[], limits: TextLimits): Promise<Message[]> {
  const told: Message[] = [];
  for (const message of messages) {
    const { content } = message;
    if (!Array.isArray(content)) {
      told.push(message);
      continue;
    }
    const parts: unknown[] = [];
    for (const part of content) {
      const file = inlineFileOf(part);
      parts.push(
        file ? { type: 'text', text: underName(file.name, await textOf(file, limits)) } : part,
      );
    }
    told.push({ ...message, content: parts } as Message);
  }
  return told;
}

async function textOf(file: InlineFile, limits: TextLimits): Promise<string> {
  await using folder = await newTempDir();
  return await fileText(file, folder.path, limits);
}

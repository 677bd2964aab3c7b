import { rm } from 'node:fs/promises';
import type { Message } from '../../chat/completion-message.ts';
import { fileText } from '../../documents/file-text.ts';
import type { TextLimits } from '../../documents/parts/document-texts.ts';
import { underName } from '../../documents/parts/part.ts';
import { newTempDir } from '../../temp-dir.ts';
import { type InlineFile, inlineFileOf } from '../inline-files.ts';

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
  const folder = await newTempDir();
  try {
    return await fileText(file, folder, limits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

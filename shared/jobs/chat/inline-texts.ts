import { rm } from 'node:fs/promises';
import type { Message } from '../../chat/completion-message.ts';
import { fileText } from '../../documents/file-text.ts';
import { underName } from '../../documents/parts/part.ts';
import { newTempDir } from '../../temp-dir.ts';
import { type InlineFile, inlineFileOf } from '../inline-files.ts';
import { textLimits } from './text-limits.ts';

/** Returns messages with the text of each file in its place: no model has to know the formats. */
export async function withFileTexts(messages: Message[]): Promise<Message[]> {
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
      parts.push(file ? { type: 'text', text: underName(file.name, await textOf(file)) } : part);
    }
    told.push({ ...message, content: parts } as Message);
  }
  return told;
}

async function textOf(file: InlineFile): Promise<string> {
  const folder = await newTempDir();
  try {
    return await fileText(file, folder, textLimits());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

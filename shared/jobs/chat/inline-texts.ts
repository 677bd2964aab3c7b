import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '../../chat/message.ts';
import { isComposite, kindOf, mediaTypeOf } from '../../documents/kind.ts';
import { underName } from '../../documents/parts/part.ts';
import { decodeText } from '../../documents/text.ts';
import { typeInWords } from '../../documents/type-words.ts';
import { sniffedBytes } from '../files/sniff.ts';
import { unsupportedInWords } from '../files/source.ts';
import { newTempDir } from '../files/source-file.ts';
import { type InlineFile, inlineFileOf } from '../inline-files.ts';
import { textsOf } from './document-texts.ts';

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

async function textOf({ name, mimeType, bytes }: InlineFile): Promise<string> {
  const start = bytes.subarray(0, sniffedBytes);
  const kind = kindOf(start, mimeType, name);
  if (kind === 'image')
    throw unsupportedInWords(name, 'a picture', ' as a file: send it as an image_url part');
  if (!kind) throw unsupportedInWords(name, typeInWords(mediaTypeOf(start, mimeType, name)));
  if (kind !== 'pdf' && !isComposite(kind)) return decodeText(bytes);
  const folder = await newTempDir();
  try {
    const path = join(folder, 'document');
    await writeFile(path, bytes);
    return (await textsOf(path, kind, name)).join('\n\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

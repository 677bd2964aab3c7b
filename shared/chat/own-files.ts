import { isUtf8 } from 'node:buffer';
import { findFile, type StoredFile } from '../files/file.ts';
import { readFile } from '../files/read-file.ts';
import { type FieldError, valueError } from '../http/errors.ts';
import type { ChatFile, ChatStreamRequest } from './stream-request.ts';

/** A part of a message that names a file of the key. */
interface NamingPart {
  type: 'file';
  file: { file_id: string; filename?: string };
}

interface Place {
  part: NamingPart;
  loc: FieldError['loc'];
}

/** Where the messages are within the request, and how large their files may be together. */
interface Where {
  keyId: string;
  loc: FieldError['loc'];
  maxBytes: number;
}

/**
 * Returns messages in which each `file` part that names a file of the key by `file_id` has its bytes, as if the caller had
 * sent them: no provider knows our ids. Throws a 422 that names the part, for a file that the key hasn't, and where the
 * files are too large together.
 */
export async function withOwnFiles<Message>(
  messages: readonly Message[],
  { keyId, loc, maxBytes }: Where,
): Promise<Message[]> {
  const places = [...placesIn(messages, loc)];
  const data = new Map<NamingPart, object>();
  let bytes = 0;
  for (const { part, loc } of places) {
    const file = await findFile(keyId, part.file.file_id);
    if (!file) throw valueError(loc, `no such file: ${part.file.file_id}`);
    bytes += file.bytes;
    if (bytes > maxBytes) {
      const mb = Math.floor(maxBytes / 2 ** 20);
      throw valueError(loc, `the files of a request may have ${mb} MB together`);
    }
    data.set(part, await withBytes(part, file));
  }
  if (places.length === 0) return [...messages];
  return messages.map((message) => {
    const content = partsOf(message);
    if (!content.some((part) => data.has(part as NamingPart))) return message;
    return { ...message, content: content.map((part) => data.get(part as NamingPart) ?? part) };
  });
}

function* placesIn(messages: readonly unknown[], loc: FieldError['loc']): Generator<Place> {
  for (const [index, message] of messages.entries()) {
    for (const [at, part] of partsOf(message).entries()) {
      if (!isNaming(part)) continue;
      yield { part, loc: [...loc, index, 'content', at, 'file', 'file_id'] };
    }
  }
}

const partsOf = (message: unknown): unknown[] => {
  const { content } = (message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content : [];
};

function isNaming(part: unknown): part is NamingPart {
  const { type, file } = (part ?? {}) as { type?: unknown; file?: Record<string, unknown> | null };
  return type === 'file' && typeof file?.['file_id'] === 'string' && file['file_data'] == null;
}

async function withBytes({ file, ...part }: NamingPart, stored: StoredFile): Promise<object> {
  const { file_id: _, filename = stored.filename, ...rest } = file;
  const file_data = dataUrlOf(await bytesOf(stored));
  return { ...part, file: { ...rest, filename, file_data } };
}

/** The files whose texts are marked up, as their names end: they are read as documents are. */
const markedUp = /\.(rtf|html?|eml)$/i;

/** As much as the function that reads documents can be sent of one. */
const maxChatBytes = 4 * 2 ** 20;

/**
 * Returns a chat's request with the files of the key that it names among those that it has sent. Throws a 422 that names
 * the id, for a file that the key hasn't, and where they are too large together.
 */
export async function withKeysFiles(
  request: ChatStreamRequest,
  keyId: string,
): Promise<ChatStreamRequest> {
  const files: ChatFile[] = [];
  let bytes = 0;
  for (const [index, id] of (request.file_ids ?? []).entries()) {
    const loc = ['body', 'file_ids', index];
    const file = await findFile(keyId, id);
    if (!file) throw valueError(loc, `no such file: ${id}`);
    bytes += file.bytes;
    if (bytes > maxChatBytes) {
      throw valueError(
        loc,
        'the files of a message may have 4 MB together; a job takes larger ones',
      );
    }
    files.push({ name: file.filename, content: contentOf(file.filename, await bytesOf(file)) });
  }
  return files.length > 0 ? { ...request, files: [...(request.files ?? []), ...files] } : request;
}

const contentOf = (name: string, bytes: Buffer) =>
  isUtf8(bytes) && !markedUp.test(name) ? bytes.toString() : dataUrlOf(bytes);

const bytesOf = async (file: StoredFile) => Buffer.concat(await Array.fromAsync(readFile(file)));

const dataUrlOf = (bytes: Buffer) =>
  `data:${mediaTypeOf(bytes)};base64,${bytes.toString('base64')}`;

/** What providers tell apart: a PDF, a text, and others, whose names have to do. */
function mediaTypeOf(bytes: Buffer): string {
  if (bytes.subarray(0, 5).toString() === '%PDF-') return 'application/pdf';
  return isUtf8(bytes) ? 'text/plain' : 'application/octet-stream';
}

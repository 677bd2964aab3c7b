import { isUtf8 } from 'node:buffer';
import type { StoredFile } from '../files/file.ts';
import { findFile } from '../files/find-file.ts';
import { maxChatFileBytes } from '../http/bounds.ts';
import type { Room } from '../http/byte-budget.ts';
import { type FieldError, valueError } from '../http/errors.ts';
import type { ChatFile, ChatStreamRequest } from './stream-request.ts';

/** What names a file: the `file` of a part of chat completions, or a part of Responses itself. */
interface Naming {
  file_id: string;
  filename?: string | null;
}

type Part = Record<string, unknown>;

interface Place {
  part: Part;
  naming: Naming;
  loc: FieldError['loc'];
}

/** Where the messages are within the request, how their parts name files, and how large these may be together. */
interface Where {
  keyId: string;
  room: Room;
  loc: FieldError['loc'];
  /** `file` by default, as chat completions have it; Responses have `input_file`. */
  type?: 'file' | 'input_file';
  maxBytes: number;
}

/** Each is looked up by itself. */
const maxNamed = 100;

/**
 * Returns messages with the bytes of the key's files that they name. Throws a 422 that names a part with an unknown
 * file, or if they are too many or too large; `NoRoomError`.
 */
export async function withOwnFiles<Message>(
  messages: readonly Message[],
  { keyId, room, loc, type = 'file', maxBytes }: Where,
): Promise<Message[]> {
  const mb = Math.floor(maxBytes / 2 ** 20);
  const find = finderOf(keyId, room, maxBytes, `the files of a request may have ${mb} MB together`);
  const places = [...placesIn(messages, loc, type)];
  const told = new Map<unknown, Part>();
  for (const [index, { part, naming, loc }] of places.entries()) {
    if (index === maxNamed) throw valueError(loc, `a request may name ${maxNamed} files`);
    const whole = await withBytes(naming, await find(naming.file_id, loc));
    told.set(part, type === 'file' ? { ...part, file: whole } : whole);
  }
  if (places.length === 0) return [...messages];
  return messages.map((message) => {
    const content = partsOf(message);
    if (!content.some((part) => told.has(part))) return message;
    return { ...message, content: content.map((part) => told.get(part) ?? part) };
  });
}

/** Returns what finds files of a key, each with room for its bytes. It throws a 422 once they are too large together. */
function finderOf(keyId: string, room: Room, maxBytes: number, tooLarge: string) {
  let bytes = 0;
  return async (id: string, loc: FieldError['loc']): Promise<StoredFile> => {
    const file = await findFile(keyId, id);
    if (!file) throw valueError(loc, `no such file: ${id}`);
    bytes += file.bytes;
    if (bytes > maxBytes) throw valueError(loc, tooLarge);
    await room.take(file.bytes);
    return file;
  };
}

function* placesIn(
  messages: readonly unknown[],
  loc: FieldError['loc'],
  type: 'file' | 'input_file',
): Generator<Place> {
  const within = type === 'file' ? ['file'] : [];
  for (const [index, message] of messages.entries()) {
    for (const [at, part] of partsOf(message).entries()) {
      if (part?.['type'] !== type) continue;
      const naming = type === 'file' ? part['file'] : part;
      if (!isNaming(naming)) continue;
      yield { part, naming, loc: [...loc, index, 'content', at, ...within, 'file_id'] };
    }
  }
}

function partsOf(message: unknown): (Part | null)[] {
  const { content } = (message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content : [];
}

function isNaming(value: unknown): value is Naming {
  const { file_id, file_data } = (value ?? {}) as Record<string, unknown>;
  return typeof file_id === 'string' && file_data == null;
}

async function withBytes({ file_id: _, ...rest }: Naming, stored: StoredFile): Promise<Part> {
  const filename = rest.filename ?? stored.filename;
  return { ...rest, filename, file_data: dataUrlOf(await bytesOf(stored)) };
}

/** The files whose texts are marked up, as their names end: they are read as documents are. */
const markedUp = /\.(rtf|html?|eml)$/i;

/**
 * Returns a chat's request with the key's files that it names. Throws a 422 that names an unknown id, or if they are
 * too large.
 */
export async function withKeysFiles(
  request: ChatStreamRequest,
  keyId: string,
  room: Room,
): Promise<ChatStreamRequest> {
  const tooLarge = 'the files of a message may have 4 MB together; a job takes larger ones';
  const find = finderOf(keyId, room, maxChatFileBytes, tooLarge);
  const files: ChatFile[] = [];
  for (const [index, id] of (request.file_ids ?? []).entries()) {
    const file = await find(id, ['body', 'file_ids', index]);
    files.push({ name: file.filename, content: contentOf(file.filename, await bytesOf(file)) });
  }
  return files.length > 0 ? { ...request, files: [...(request.files ?? []), ...files] } : request;
}

const contentOf = (name: string, bytes: Buffer) =>
  isUtf8(bytes) && !markedUp.test(name) ? bytes.toString() : dataUrlOf(bytes);

/** The client of S3 is not loaded before a file is read: most calls name none, and it takes as long as DynamoDB's. */
async function bytesOf(file: StoredFile): Promise<Buffer> {
  const { readFile } = await import('../files/read-file.ts');
  return Buffer.concat(await Array.fromAsync(readFile(file)));
}

const dataUrlOf = (bytes: Buffer) =>
  `data:${mediaTypeOf(bytes)};base64,${bytes.toString('base64')}`;

/** Returns the media type of a PDF or a text; of other files providers go by the name. */
function mediaTypeOf(bytes: Buffer): string {
  if (bytes.subarray(0, 5).toString() === '%PDF-') return 'application/pdf';
  return isUtf8(bytes) ? 'text/plain' : 'application/octet-stream';
}

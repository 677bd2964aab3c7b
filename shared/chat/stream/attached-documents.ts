import pLimit from 'p-limit';
import { askToRead } from '../../documents/attached/ask-to-read.ts';
import type { AttachedFile } from '../../documents/attached/attached-file.ts';
import type { Room } from '../../http/byte-budget.ts';
import { valueError } from '../../http/errors.ts';
import type { ChatFile, ChatStreamRequest } from '../stream-request.ts';

/** Each is read by a function of its own. */
const maxDocuments = 20;
const readsAtOnce = 4;
const limits = { characters: 1_000_000, jsonBytes: 5_000_000, longer: 'refused' } as const;

/** The formats that have no text of their own, as a file's name ends. */
const documentName = /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip)$/i;
/** A data URL's media type with its parameters, of which `base64` is the last. */
const dataUrl = /^data:([^,]*);base64,/i;
/** How base64 begins of a PDF, a ZIP archive such as Office files are, an old Office file, and RTF. */
const documentStart = /^(JVBERi|UEsDB|0M8R4K|e1xyd)/;
/** Line breaks match in one place only: with two, a long run of them would be matched in every way there is. */
const base64 = /^[A-Za-z0-9+/\r\n]*(?:={1,2}[\r\n]*)?$/;

/** A document among a request's files, and where it stands there. */
interface SentDocument {
  index: number;
  file: Omit<AttachedFile, 'keyId'>;
}

/** Returns the documents among a request's files. Throws a 422 for too many, and for one that is not sent in base64. */
export function documentsIn({ files }: ChatStreamRequest): SentDocument[] {
  const documents = (files ?? []).flatMap((file, index) =>
    isDocument(file) ? { index, file: documentOf(file, index) } : [],
  );
  if (documents.length > maxDocuments) {
    throw valueError(['body', 'files'], `at most ${maxDocuments} documents are read for a message`);
  }
  return documents;
}

const isDocument = ({ name, content }: ChatFile) =>
  documentName.test(name) || dataUrl.test(content) || documentStart.test(content);

function documentOf({ name, content }: ChatFile, index: number): SentDocument['file'] {
  const [start = '', mediaType = ''] = content.match(dataUrl) ?? [];
  const [mimeType = ''] = mediaType.split(';', 1);
  const data = content.slice(start.length);
  if (!base64.test(data)) {
    throw valueError(locOf(index), 'a document is sent in base64, or as a data URL in base64');
  }
  return { name, mimeType, content: { base64: data }, limits };
}

const locOf = (index: number) => ['body', 'files', index, 'content'];

/** Replaces documents in a request by their texts. Throws a 422 that names a file that can't be read or is only pictures. */
export async function withDocumentTexts(
  request: ChatStreamRequest,
  documents: SentDocument[],
  keyId: string,
  room: Room,
  signal: AbortSignal,
): Promise<ChatStreamRequest> {
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const files = [...(request.files ?? [])];
  try {
    await pLimit(readsAtOnce).map(documents, async ({ index, file }) => {
      const taken = await room.take(limits.jsonBytes, { signal: stop });
      const content = await textOf({ ...file, keyId }, index, stop);
      room.give(taken - Buffer.byteLength(content));
      files[index] = { name: file.name, content };
    });
  } catch (error) {
    failure.abort();
    throw error;
  }
  return { ...request, files };
}

async function textOf(file: AttachedFile, index: number, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const reading = await askToRead(file, signal);
  if ('text' in reading) return reading.text;
  throw valueError(locOf(index), reading.unreadable);
}

import pLimit from 'p-limit';
import { askToRead } from '../documents/attached/ask-to-read.ts';
import { valueError } from '../http/errors.ts';
import type { ChatFile, ChatStreamRequest } from './stream-request.ts';

/** Each is read by a function of its own. */
const maxDocuments = 20;
const readsAtOnce = 4;

/** The formats that have no text of their own, as a file's name ends. */
const documentName = /\.(pdf|docx?|xlsx?|pptx?|od[tsp]|epub|zip)$/i;
/** A data URL's media type with its parameters, of which `base64` is the last. */
const dataUrl = /^data:([^,]*);base64,/i;
/** How base64 begins of a PDF, a ZIP archive such as Office files are, an old Office file, and RTF. */
const documentStart = /^(JVBERi|UEsDB|0M8R4K|e1xyd)/;
/** Line breaks match in one place only: with two, a long run of them would be matched in every way there is. */
const base64 = /^[A-Za-z0-9+/\r\n]*(?:={1,2}[\r\n]*)?$/;

/**
 * Returns a request with the text of each document among its files in place of the document. Throws a 422 that
 * names the file, for one that can't be read or is only pictures.
 */
export async function withDocumentTexts(
  request: ChatStreamRequest,
  signal: AbortSignal,
): Promise<ChatStreamRequest> {
  const files = request.files ?? [];
  const documents = files.filter(isDocument);
  if (documents.length === 0) return request;
  if (documents.length > maxDocuments) {
    throw valueError(['body', 'files'], `at most ${maxDocuments} documents are read for a message`);
  }
  const read = await pLimit(readsAtOnce).map(files, async (file, index) =>
    isDocument(file) ? { ...file, content: await textOf(file, index, signal) } : file,
  );
  return { ...request, files: read };
}

/** Whether a request has files that `withDocumentTexts` reads. */
export const hasDocuments = ({ files }: ChatStreamRequest) => files?.some(isDocument) ?? false;

const isDocument = ({ name, content }: ChatFile) =>
  documentName.test(name) || dataUrl.test(content) || documentStart.test(content);

async function textOf(
  { name, content }: ChatFile,
  index: number,
  signal: AbortSignal,
): Promise<string> {
  const loc = ['body', 'files', index, 'content'];
  const [start = '', mediaType = ''] = content.match(dataUrl) ?? [];
  const [mimeType = ''] = mediaType.split(';', 1);
  const data = content.slice(start.length);
  if (!base64.test(data)) {
    throw valueError(loc, 'a document is sent in base64, or as a data URL in base64');
  }
  const reading = await askToRead({ name, mimeType, base64: data }, signal);
  if ('text' in reading) return reading.text;
  throw valueError(loc, reading.unreadable);
}

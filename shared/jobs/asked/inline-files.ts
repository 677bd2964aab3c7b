import * as v from 'valibot';
import { dataUrlAdvice, findFileId, isDataUrl, noFileIds } from '../../chat/completion-message.ts';
import { valueError } from '../../http/errors.ts';
import { shownName } from '../results/result.ts';

/** An image or a file that a message carries. */
export interface InlineFile {
  /** A file's own name, or what an image is called in a message about it. */
  name: string;
  isImage: boolean;
  mimeType: string;
  bytes: Buffer;
}

/** A message of any role. */
interface AnyMessage {
  content?: unknown;
}

const ImageSource = v.object({
  type: v.literal('image_url'),
  image_url: v.object({ url: v.string() }),
});
/** @see https://platform.openai.com/docs/guides/pdf-files */
const FileSource = v.object({
  type: v.literal('file'),
  file: v.object({ filename: v.optional(v.string()), file_data: v.string() }),
});

/** Lists the images and files of messages, in order. */
export function inlineFilesOf(messages: AnyMessage[]): InlineFile[] {
  let images = 0;
  let files = 0;
  return messages.flatMap(({ content }) =>
    partsOf(content).flatMap((part) => {
      if (v.is(ImageSource, part)) {
        images += 1;
        return fileOf(part.image_url.url, `Image ${images}`, true);
      }
      if (!v.is(FileSource, part)) return [];
      files += 1;
      return fileOf(part.file.file_data, part.file.filename || `file ${files}`, false);
    }),
  );
}

/** Names a job by the files in its messages, if there are some: `a.pdf`, or `a.pdf and 2 more`. */
export function inlineName(messages: AnyMessage[]): { filename?: string } {
  const [first, ...others] = inlineFilesOf(messages).filter(({ isImage }) => !isImage);
  if (!first) return {};
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return { filename: `${shownName(first.name)}${more}` };
}

/** Returns the file that a part of a message is; undefined if it is none. */
export function inlineFileOf(part: unknown): InlineFile | undefined {
  return v.is(FileSource, part)
    ? fileOf(part.file.file_data, part.file.filename || 'The file', false)
    : undefined;
}

function fileOf(url: string, name: string, isImage: boolean): InlineFile {
  const [head = '', data = ''] = url.split(',', 2);
  const mimeType = head.slice('data:'.length).split(';')[0] ?? '';
  return { name, isImage, mimeType, bytes: Buffer.from(data, 'base64') };
}

/** Throws a 422 that names the part for a file outside the request; for an image too if the job has to read it. */
export function checkInlineFiles(messages: AnyMessage[], readsImages: boolean): void {
  const fileId = findFileId(messages);
  if (fileId) throw valueError(['body', 'inline', 'messages', ...fileId], noFileIds);
  for (const [index, { content }] of messages.entries()) {
    for (const [at, part] of partsOf(content).entries()) {
      const loc = ['body', 'inline', 'messages', index, 'content', at];
      if (typeOf(part) === 'file') checkFile(part as { file?: unknown }, [...loc, 'file']);
      if (readsImages && v.is(ImageSource, part) && !isDataUrl(part.image_url.url)) {
        throw valueError(
          [...loc, 'image_url', 'url'],
          'OCR reads images that are in the request: send a data URL, data:image/png;base64,…',
        );
      }
    }
  }
}

function checkFile({ file }: { file?: unknown }, loc: (string | number)[]): void {
  const { file_data, filename } = (file ?? {}) as Record<string, unknown>;
  if (typeof file_data !== 'string' || !isDataUrl(file_data)) {
    throw valueError([...loc, 'file_data'], dataUrlAdvice);
  }
  if (filename !== undefined && typeof filename !== 'string') {
    throw valueError([...loc, 'filename'], 'it must be a string');
  }
}

const typeOf = (part: unknown) => (part as { type?: unknown } | null)?.type;

const partsOf = (content: unknown): unknown[] => (Array.isArray(content) ? content : []);

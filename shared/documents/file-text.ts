import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../http/errors.ts';
import { emptyDocument, unsupportedFile } from './errors.ts';
import { type CompositeKind, isComposite, kindOf, mediaTypeOf } from './kind.ts';
import { documentTexts, type TextLimits } from './parts/document-texts.ts';
import { decodeText } from './text.ts';
import { typeInWords } from './type-words.ts';

/** A file that came with a request. */
export interface SentFile {
  name: string;
  /** The declared one; '' if none was. */
  mimeType: string;
  bytes: Buffer;
}

/** How many of a file's first bytes tell its kind. */
const sniffedBytes = 4_100;

/**
 * Returns the text of a file as a model is to see it, without OCR. `folder` is where it may put files. Throws 422
 * for one without text, of an unsupported kind, or longer than allowed or longer to read; and the reason of its limits'
 * `signal`.
 */
export async function fileText(
  { name, mimeType, bytes }: SentFile,
  folder: string,
  limits: TextLimits,
): Promise<string> {
  if (bytes.length === 0) throw emptyDocument('bytes');
  const start = bytes.subarray(0, sniffedBytes);
  const kind = kindOf(start, mimeType, name);
  if (!kind) throw unsupportedFile(name, typeInWords(mediaTypeOf(start, mimeType, name)));
  if (kind === 'image') throw unsupportedFile(name, 'a picture', ' as a file: send it as an image');
  if (kind !== 'pdf' && !isComposite(kind)) return decodeText(bytes);
  const path = join(folder, 'document');
  await writeFile(path, bytes);
  return (await textPages(path, kind, name, limits)).join('\n\n');
}

/** Returns the text of a document page by page, without OCR. Throws 422 if there is none. */
export async function textPages(
  path: string,
  kind: 'pdf' | CompositeKind,
  name: string,
  limits: TextLimits,
): Promise<string[]> {
  const { pages, hasText } = await documentTexts(path, kind, limits);
  if (hasText) return pages;
  throw new ServiceError(
    422,
    'no_text',
    `${name} has no text that can be read without OCR: read it with a batch job of job_type ocr, or with the pipeline ocr_then_chat.`,
  );
}

import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from '../../documents/document.ts';
import { unsupportedFile } from '../../documents/errors.ts';
import { joinDocuments, type Piece } from '../../documents/joined-document.ts';
import { kindOf, mediaTypeOf } from '../../documents/kind.ts';
import { type OpeningOptions, openDocument } from '../../documents/open-document.ts';
import { typeInWords } from '../../documents/type-words.ts';
import { newTempDir } from '../../temp-dir.ts';
import { type InlineFile, inlineFilesOf } from '../inline-files.ts';
import type { Job } from '../job.ts';
import { hasPages } from '../kinds.ts';
import { messagesOf } from '../objects.ts';

/** The images and files of a message as one document, and the hash of its content. */
export interface InlineDocuments {
  document: Document;
  content_sha256: string;
}

/** Opens the images and files of an inline job as one document, in their order. */
export async function openInlineDocuments(job: Job): Promise<InlineDocuments> {
  const folder = await newTempDir();
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const forceOcr = job.force_ocr ?? false;
    const options = { forceOcr, turn: job.key_id, losses: { count: 0 } };
    const files = inlineFilesOf(await messagesOf(job));
    const pieces = files.map((file, index) => pieceOf(file, join(folder, String(index)), options));
    // What is wrong with the only one is the job's own error.
    if (pieces.length === 1) (await pieces[0]?.open())?.close();
    const document = await joinDocuments(pieces, () => void remove());
    return { document, content_sha256: contentHashOf(files, forceOcr) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Returns for one file the hash that it has on a drive; for several the hash of theirs, in their order. With
 * `force_ocr` the pictures in a document are pages too, so that its pages are others.
 */
function contentHashOf(files: InlineFile[], forceOcr: boolean): string {
  const hashes = files.map(({ bytes }) => sha256(bytes));
  const [only] = files;
  if (only && files.length === 1 && (only.isImage || !forceOcr)) return sha256(only.bytes);
  return sha256([...hashes, forceOcr ? 'with pictures' : ''].join('\n'));
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

function pieceOf(
  { name, isImage, mimeType, bytes }: InlineFile,
  path: string,
  options: OpeningOptions,
) {
  const open = async () => {
    const kind = kindOf(bytes, mimeType, isImage ? '' : name);
    const isPages = kind && hasPages(kind);
    if (!isPages || (isImage && kind !== 'image')) {
      throw unsupportedFile(name, typeInWords(mediaTypeOf(bytes, mimeType, name)));
    }
    await writeFile(path, bytes);
    return openDocument(path, kind, options);
  };
  return { name: isImage ? '' : name, open } satisfies Piece;
}

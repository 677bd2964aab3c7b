import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from '../../documents/document.ts';
import { unsupportedFile } from '../../documents/errors.ts';
import { joinDocuments, type Piece } from '../../documents/joined-document.ts';
import { isComposite, kindOf, mediaTypeOf } from '../../documents/kind.ts';
import { openDocument } from '../../documents/open-document.ts';
import { typeInWords } from '../../documents/type-words.ts';
import { newTempDir } from '../files/source-file.ts';
import { type InlineFile, inlineFilesOf } from '../inline-files.ts';
import type { Job } from '../job.ts';
import { isPaged } from '../kinds.ts';
import { messagesOf } from '../objects.ts';

/** Opens the images and files of an inline job as one document, in their order. */
export async function openInlineDocuments(job: Job): Promise<Document> {
  const folder = await newTempDir();
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const files = inlineFilesOf(await messagesOf(job));
    const pieces = files.map((file, index) =>
      pieceOf(file, join(folder, String(index)), job.force_ocr ?? false),
    );
    // What is wrong with the only one is the job's own error.
    if (pieces.length === 1) (await pieces[0]?.open())?.close();
    return await joinDocuments(pieces, () => void remove());
  } catch (error) {
    await remove();
    throw error;
  }
}

function pieceOf({ name, isImage, mimeType, bytes }: InlineFile, path: string, forceOcr: boolean) {
  const open = async () => {
    const kind = kindOf(bytes, mimeType, isImage ? '' : name);
    const isPages = kind && (isPaged(kind) || isComposite(kind));
    if (!isPages || (isImage && kind !== 'image')) {
      throw unsupportedFile(name, typeInWords(mediaTypeOf(bytes, mimeType, name)));
    }
    await writeFile(path, bytes);
    return openDocument(path, kind, { forceOcr });
  };
  return { name: isImage ? '' : name, open } satisfies Piece;
}

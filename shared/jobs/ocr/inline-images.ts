import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imagesOf } from '../../chat/message.ts';
import type { Document } from '../../documents/document.ts';
import { kindOf, typeName } from '../../documents/kind.ts';
import { openDocument } from '../../documents/open-document.ts';
import { ServiceError } from '../../http/errors.ts';
import { unsupported } from '../files/source.ts';
import { newTempDir } from '../files/source-file.ts';
import type { Job } from '../job.ts';
import { messagesOf } from '../objects.ts';

/** The images of a message as one document, and the hash of its content. */
export interface InlineImages {
  document: Document;
  content_sha256: string;
}

/** Opens the images of an inline job as the pages of one document, in their order. */
export async function openInlineImages(job: Job): Promise<InlineImages> {
  const folder = await newTempDir();
  const documents: Document[] = [];
  try {
    const images = imagesOf(await messagesOf(job)).map(toImage);
    for (const [index, image] of images.entries()) {
      const opened = openImage(image, index, join(folder, String(index)));
      documents.push(await (images.length === 1 ? opened : opened.catch(asPage)));
    }
    return { document: joined(documents, folder), content_sha256: contentHashOf(images) };
  } catch (error) {
    for (const document of documents) document.close();
    await rm(folder, { recursive: true });
    throw error;
  }
}

interface InlineImage {
  mimeType: string;
  bytes: Buffer;
}

function toImage(url: string): InlineImage {
  const [head = '', data = ''] = url.split(',', 2);
  const mimeType = head.slice('data:'.length).split(';')[0] ?? '';
  return { mimeType, bytes: Buffer.from(data, 'base64') };
}

/** Returns for one image the hash that its file has on a drive; for several the hash of theirs, in their order. */
function contentHashOf(images: InlineImage[]): string {
  const hashes = images.map(({ bytes }) => sha256(bytes));
  return hashes.length === 1 && hashes[0] ? hashes[0] : sha256(hashes.join('\n'));
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

async function openImage(
  { mimeType, bytes }: InlineImage,
  index: number,
  path: string,
): Promise<Document> {
  const name = `Image ${index + 1}`;
  const kind = kindOf(bytes, mimeType, '');
  if (kind !== 'image') throw unsupported(name, typeName(bytes, mimeType, ''));
  await writeFile(path, bytes);
  return openDocument(path, kind);
}

/** One of several images that can't be opened is a page that can't be read. */
function asPage(error: unknown): Document {
  if (!(error instanceof ServiceError)) throw error;
  return { pageCount: 1, readPage: () => Promise.reject(error), close: () => {} };
}

function joined(documents: Document[], folder: string): Document {
  return {
    pageCount: documents.reduce((sum, { pageCount }) => sum + pageCount, 0),
    readPage: (page, options) => {
      let rest = page;
      for (const document of documents) {
        if (rest <= document.pageCount) return document.readPage(rest, options);
        rest -= document.pageCount;
      }
      throw new Error(`There is no page ${page}`);
    },
    close: () => {
      for (const document of documents) document.close();
      void rm(folder, { recursive: true, force: true });
    },
  };
}

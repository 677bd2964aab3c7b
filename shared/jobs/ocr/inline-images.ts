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

/** Opens the images of an inline job as the pages of one document, in their order. */
export async function openInlineImages(job: Job): Promise<Document> {
  const folder = await newTempDir();
  const documents: Document[] = [];
  try {
    const urls = imagesOf(await messagesOf(job));
    for (const [index, url] of urls.entries()) {
      const image = openImage(url, index, join(folder, String(index)));
      documents.push(await (urls.length === 1 ? image : image.catch(asPage)));
    }
    return joined(documents, folder);
  } catch (error) {
    for (const document of documents) document.close();
    await rm(folder, { recursive: true });
    throw error;
  }
}

async function openImage(url: string, index: number, path: string): Promise<Document> {
  const [head = '', data = ''] = url.split(',', 2);
  const mimeType = head.slice('data:'.length).split(';')[0] ?? '';
  const bytes = Buffer.from(data, 'base64');
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

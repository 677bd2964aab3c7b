import * as v from 'valibot';
import type { Document } from '../../documents/document.ts';
import { type OpenableKind, openDocument } from '../../documents/open-document.ts';
import type { Caller } from '../../http/caller.ts';
import { NotFoundError } from '../../http/errors.ts';
import { integerText } from '../../http/schema.ts';
import type { StreamedResponse } from '../../http/stream-endpoint.ts';
import type { Job } from '../engine/item/job.ts';
import { isGone } from '../engine/item/objects.ts';
import { openInlineDocuments } from '../kinds/document/read-document.ts';
import { withFile } from '../sources/source-file.ts';
import { hasPages } from '../sources/workable.ts';
import { requireJob } from './read.ts';

/** More than any document has. */
const maxPageNumber = 1_000_000;

/** The path of a page of a job's document; pages are numbered from 1, as in its result. */
export const PagePath = v.object({
  job_id: v.string(),
  page: integerText(1, maxPageNumber),
});

/**
 * Draws a page of the document of a job, as a JPEG, as it was drawn for OCR: grey, and as it lies in the document. Throws 404
 * if the key has no such job, if the document has no such page or no copy of it is there any more, and 422 if it can't be drawn.
 */
export async function drawPage(
  { keyId }: Caller,
  { job_id, page }: v.InferOutput<typeof PagePath>,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  const job = await requireJob({ key_id: keyId, job_id });
  const jpeg = await withDocument(job, signal, (document) => drawn(document, page));
  return {
    statusCode: 200,
    headers: {
      'content-type': 'image/jpeg',
      'content-length': String(jpeg.length),
      // A document is copied once, so that its pages stay as they are.
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
    },
    body: piecesOf(jpeg),
  };
}

const noDocument = () => new NotFoundError('The job has no document whose pages could be drawn.');

async function drawn(document: Document, page: number): Promise<Uint8Array> {
  if (document.pageCount === 0) throw noDocument();
  if (page > document.pageCount) {
    throw new NotFoundError(
      `The document has ${document.pageCount} pages: there is no page ${page}.`,
    );
  }
  const { jpeg } = await document.readPage(page, { forceOcr: true });
  if (!jpeg) throw new NotFoundError(`Page ${page} is text, and has no picture.`);
  return jpeg;
}

async function withDocument<Result>(
  job: Job,
  signal: AbortSignal,
  use: (document: Document) => Promise<Result>,
): Promise<Result> {
  const { source_object, source_kind, input_type } = job;
  if (input_type === 'inline') return using((await openInlineDocuments(job)).document, use);
  if (!source_object || !source_kind || !hasPages(source_kind)) {
    throw noDocument();
  }
  const options = { forceOcr: job.force_ocr ?? false, turn: job.key_id, signal };
  try {
    return await withFile(
      source_object,
      async (path) => using(await openDocument(path, source_kind as OpenableKind, options), use),
      signal,
    );
  } catch (error) {
    if (isGone(error)) throw new NotFoundError('The copy of the document is not kept any more.');
    throw error;
  }
}

async function using<Result>(
  document: Document,
  use: (document: Document) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(document);
  } finally {
    document.close();
  }
}

const pieceBytes = 64 * 1024;

async function* piecesOf(jpeg: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < jpeg.length; start += pieceBytes) {
    yield jpeg.subarray(start, start + pieceBytes);
  }
}

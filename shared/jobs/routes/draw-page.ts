import * as v from 'valibot';
import { isGone } from '../../aws/is-gone.ts';
import type { Document } from '../../documents/document.ts';
import { openDocument } from '../../documents/parts/open-document.ts';
import { maxPictureBytes } from '../../http/bounds.ts';
import type { Caller } from '../../http/caller.ts';
import { NotFoundError } from '../../http/errors.ts';
import { integerText } from '../../http/schema.ts';
import { type Invocation, piecesOf, type StreamedResponse } from '../../http/stream-endpoint.ts';
import { findJob } from '../engine/item/job.ts';
import { openInlineDocuments } from '../kinds/document/read-document.ts';
import { readPages } from '../kinds/extraction/source-pages.ts';
import { type AnyJob, asJob } from '../kinds/kinds.ts';
import { withFile } from '../sources/source-file.ts';
import { hasPages } from '../sources/source-job.ts';
import { Drawings } from './drawings.ts';
import { requireJob } from './read.ts';

const drawings = new Drawings();

const maxPageNumber = 1_000_000;

/** The path of a page of a job's document; pages are numbered from 1, as in its result. */
export const PagePath = v.object({ job_id: v.string(), page: integerText(1, maxPageNumber) });

/**
 * Returns a page of a job's document: the JPEG that was drawn for OCR, or the text that fields were taken from. Throws 404
 * if there is no such job or page, or no copy any more, 422 if it can't be drawn, and 429 while many of the key's are drawn.
 */
export async function drawPage(
  { keyId }: Caller,
  { job_id, page }: v.InferOutput<typeof PagePath>,
  { timeIsUp: signal, room }: Pick<Invocation, 'timeIsUp' | 'room'>,
): Promise<StreamedResponse> {
  const asked = await requireJob({ key_id: keyId, job_id });
  const job = await documentJobOf(asked);
  await room.take(maxPictureBytes, { signal });
  try {
    const draw = () => withDocument(job, signal, (document) => drawn(document, page));
    const jpeg = await drawings.get(keyId, `${job.job_id} ${page}`, draw);
    return sent('image/jpeg', jpeg);
  } catch (error) {
    const text = error instanceof NotFoundError ? await textOf(asked, job, page) : undefined;
    if (text === undefined) throw error;
    return sent('text/plain; charset=utf-8', Buffer.from(text));
  }
}

const sent = (type: string, bytes: Uint8Array): StreamedResponse => ({
  statusCode: 200,
  headers: {
    'content-type': type,
    'content-length': String(bytes.length),
    // A document is copied once, so that its pages stay as they are.
    'cache-control': 'private, max-age=3600',
    'x-content-type-options': 'nosniff',
  },
  body: piecesOf(bytes),
});

/** Returns the job that has the document, as a step or its retry works on pages that another job has read. */
async function documentJobOf(job: AnyJob): Promise<AnyJob> {
  if (job.kind !== 'answer' && job.kind !== 'extraction') return job;
  const other = await read(job, job.parent_job_id ?? job.retry_of);
  if (!other) throw noDocument();
  return documentJobOf(other);
}

async function read({ key_id }: AnyJob, job_id: string | undefined): Promise<AnyJob | undefined> {
  const job = job_id && (await findJob({ key_id, job_id }));
  return job ? asJob(job) : undefined;
}

/** Returns the text of a page that fields were taken from; undefined if there was no such page. */
async function textOf(asked: AnyJob, owner: AnyJob, page: number): Promise<string | undefined> {
  const hasStep = owner.kind === 'document' && owner.phase === 'step';
  const stepId = hasStep ? owner.chat_job_id : undefined;
  const step = asked === owner ? await read(owner, stepId) : asked;
  if (step?.kind !== 'extraction') return undefined;
  try {
    const texts = await readPages(step.document_object, (each) =>
      each.page === page && each.status === 'read' ? [each.text] : [],
    );
    return texts.flat()[0];
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const noDocument = () => new NotFoundError('The job has no document whose pages could be drawn.');

async function drawn(document: Document, page: number): Promise<Uint8Array> {
  if (document.pageCount === 0) throw noDocument();
  if (page > document.pageCount) {
    throw new NotFoundError(
      `There is no page ${page}: the document has ${document.pageCount === 1 ? 'one page' : `${document.pageCount} pages`}.`,
    );
  }
  const { jpeg } = await document.readPage(page, { forceOcr: true });
  if (!jpeg) throw new NotFoundError(`Page ${page} is text, and has no picture.`);
  return jpeg;
}

async function withDocument<Result>(
  job: AnyJob,
  signal: AbortSignal,
  use: (document: Document) => Promise<Result>,
): Promise<Result> {
  const { source_object, source_kind: kind, input_type } = job;
  const whileOpen = async (document: Document) => use(document).finally(() => document.close());
  if (input_type === 'inline') return whileOpen((await openInlineDocuments(job)).document);
  if (!source_object || !kind || !hasPages(kind)) throw noDocument();
  const options = { forceOcr: job.force_ocr ?? false, turn: job.key_id, signal };
  const draw = async (path: string) => whileOpen(await openDocument(path, kind, options));
  try {
    return await withFile(source_object, draw, signal);
  } catch (error) {
    if (isGone(error)) throw new NotFoundError('The copy of the document is not kept any more.');
    throw error;
  }
}

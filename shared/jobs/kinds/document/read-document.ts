import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, textDocument } from '../../../documents/document.ts';
import { unsupportedFile } from '../../../documents/errors.ts';
import { joinDocuments, type Piece } from '../../../documents/joined-document.ts';
import { kindOf, mediaTypeOf } from '../../../documents/kind.ts';
import { type OpeningOptions, openDocument } from '../../../documents/parts/open-document.ts';
import { readText } from '../../../documents/text.ts';
import { typeInWords } from '../../../documents/type-words.ts';
import { newTempDir } from '../../../temp-dir.ts';
import { type InlineFile, inlineFilesOf } from '../../asked/inline-files.ts';
import { messagesOf, type WithMessages } from '../../asked/messages.ts';
import { type Claimed, roomOf } from '../../engine/item/job.ts';
import { isLast, jobErrorText, logFault } from '../../engine/run/failure.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { checkLength } from '../../reading/page-steps.ts';
import { keepFileNames } from '../../reading/page-texts.ts';
import { readPages } from '../../reading/read-pages.ts';
import type { JobResult } from '../../results/result.ts';
import { withDocument } from '../../sources/source-file.ts';
import { hasPages, type Sourced, type SourceJob } from '../../sources/source-job.ts';
import { splitIntoSections } from '../section/sections.ts';
import type { UnsplitDocument } from './document-job.ts';
import { failWithPages, finishOcr } from './finish.ts';

/** A document of more pages is read in sections, by as many workers as are free. */
const pagesPerSection = 50;

/** Reads a document. Returns undefined if an `auto` job is to chat about it, since it is all text. */
export function readDocument(
  job: Sourced<UnsplitDocument>,
  signal: AbortSignal,
): Promise<JobResult | RunEnd | undefined> {
  const read = async (document: Document) =>
    job.job_type === 'auto' && !job.extract && document.isText
      ? undefined
      : readOpened(job, document, signal);
  return withDocument(job, read, signal);
}

/** Reads the images and files of an inline job, as one document. */
export async function readInline(
  job: Claimed<UnsplitDocument>,
  signal: AbortSignal,
): Promise<JobResult | RunEnd> {
  const { document, content_sha256 } = await openInlineDocuments(job);
  try {
    return await readOpened({ ...job, content_sha256 }, document, signal);
  } finally {
    document.close();
  }
}

/** Reads all pages, in sections if there are many; a message has no copy that other workers could read. */
async function readOpened(
  job: Claimed<UnsplitDocument>,
  document: Document,
  signal: AbortSignal,
): Promise<JobResult | RunEnd> {
  const { pageCount } = document;
  checkLength(pageCount, job.filename ?? 'the message');
  await keepFileNames(job, document);
  if (job.source_object && pageCount > pagesPerSection) {
    return splitIntoSections(job as Sourced<UnsplitDocument>, pageCount, pagesPerSection);
  }
  try {
    const read = await readPages(job, document, { first: 1, last: pageCount }, signal);
    return Array.isArray(read) ? await finishOcr(job, read) : read;
  } catch (error) {
    if (signal.aborted || !isLast(job, error)) throw error;
    // Pages read by then are the job's result.
    logFault(job, error);
    return failWithPages(job, pageCount, jobErrorText(error));
  }
}

/** The images and files of a message as one document, and the hash of its content. */
interface InlineDocuments {
  document: Document;
  content_sha256: string;
}

/** Opens the images and files of an inline job as one document, in their order. */
export async function openInlineDocuments(job: SourceJob & WithMessages): Promise<InlineDocuments> {
  const folder = await newTempDir();
  const room = await roomOf(job, 0);
  const remove = () => {
    room[Symbol.dispose]();
    return folder[Symbol.asyncDispose]();
  };
  try {
    const forceOcr = job.force_ocr ?? false;
    const options = { forceOcr, turn: job.key_id, losses: { count: 0 } };
    const files = inlineFilesOf(await messagesOf(job, room));
    const pieces = files.map((file, index) =>
      pieceOf(file, join(folder.path, String(index)), options),
    );
    // If the only file can't be read, the job fails with its error.
    if (pieces.length === 1) (await pieces[0]?.open())?.close();
    const document = await joinDocuments(pieces, () => void remove());
    return { document, content_sha256: contentHashOf(files, forceOcr) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the hash of one file, or of several files' hashes. With `force_ocr` a document's pictures are pages too. */
function contentHashOf(files: InlineFile[], forceOcr: boolean): string {
  const hashes = files.map(({ bytes }) => hash('sha256', bytes));
  const [only] = files;
  if (only && files.length === 1 && (only.isImage || !forceOcr)) return hash('sha256', only.bytes);
  return hash('sha256', [...hashes, forceOcr ? 'with pictures' : ''].join('\n'));
}

function pieceOf(
  { name, isImage, mimeType, bytes }: InlineFile,
  path: string,
  options: OpeningOptions,
) {
  const open = async () => {
    const kind = kindOf(bytes, mimeType, isImage ? '' : name);
    if (!kind || (isImage && kind !== 'image')) {
      throw unsupportedFile(name, typeInWords(mediaTypeOf(bytes, mimeType, name)));
    }
    if (!hasPages(kind)) return textDocument(readText(bytes));
    await writeFile(path, bytes);
    return openDocument(path, kind, options);
  };
  return { name: isImage ? '' : name, open } satisfies Piece;
}

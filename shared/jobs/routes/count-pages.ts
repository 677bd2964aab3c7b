import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Document } from '../../documents/document.ts';
import { likelyKindOf } from '../../documents/kind.ts';
import { openTextLayers } from '../../documents/text-layers.ts';
import { openContent } from '../../drive/content.ts';
import type { DriveFile } from '../../drive/file.ts';
import { newTempDir } from '../../temp-dir.ts';
import { isPermanent } from '../engine/run/failure.ts';
import type { SourceJob } from '../sources/source-job.ts';

/** A larger PDF takes too long to fetch for an estimate, and more pages to look at. */
const maxBytes = 2 * 2 ** 20;
const maxPages = 100;

/** More text than a page has that OCR reads. */
export const pageBytes = 20_000;

/** The pages of a document, how many of them OCR would read, and the most bytes of text on all of them. */
export interface CountedPages {
  all: number;
  toRead: number;
  textBytes: number;
}

/** Counts the pages of a small PDF. Undefined for any other file, and for one that can't be opened in time. */
export async function countPages(
  job: SourceJob,
  file: DriveFile,
  signal: AbortSignal,
): Promise<CountedPages | undefined> {
  const { mimeType, name, size = Number.POSITIVE_INFINITY } = file;
  if (likelyKindOf(mimeType, name) !== 'pdf' || size > maxBytes || signal.aborted) return undefined;
  const folder = await newTempDir();
  try {
    const path = join(folder, 'document');
    const { body } = await openContent(file, signal);
    await pipeline(body, createWriteStream(path));
    const reading = { turn: job.key_id, signal, losses: { count: 0 } };
    const document = await openTextLayers(path, reading);
    try {
      return await countIn(document, job.force_ocr ?? false);
    } finally {
      document.close();
    }
  } catch (error) {
    // Its job says what is wrong with it.
    if (isPermanent(error) || signal.aborted) return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function countIn(document: Document, forceOcr: boolean): Promise<CountedPages> {
  const { pageCount } = document;
  const counted: CountedPages = { all: pageCount, toRead: 0, textBytes: 0 };
  for (let page = 1; page <= pageCount; page++) {
    const isLookedAt = !forceOcr && pageCount <= maxPages;
    const text = isLookedAt
      ? (await document.readPage(page, { draw: false })).textLayer
      : undefined;
    if (text === undefined) counted.toRead += 1;
    counted.textBytes += text === undefined ? pageBytes : Buffer.byteLength(text);
  }
  return counted;
}

import { join } from 'node:path';
import type { Document } from '../../documents/document.ts';
import { openTextLayers } from '../../documents/parts/text-layers.ts';
import { newTempDir } from '../../temp-dir.ts';
import { isPermanent } from '../engine/run/failure.ts';
import type { SourceJob } from '../sources/source-job.ts';

/** A larger PDF takes too long to fetch for an estimate, and more pages to look at. */
export const maxCountedBytes = 2 * 2 ** 20;
const maxPages = 100;

/** More text than a page has that OCR reads. */
export const pageBytes = 20_000;

/** The pages of a document, how many of them OCR would read, and the most bytes of text on all of them. */
export interface CountedPages {
  all: number;
  toRead: number;
  textBytes: number;
}

/** What a picture of one page is counted as. */
export const onePage: CountedPages = { all: 1, toRead: 1, textBytes: pageBytes };

/** Counts the pages of a PDF that `fetch` puts where it is told. Undefined for one that can't be opened in time. */
export async function countPages(
  job: SourceJob,
  fetch: (path: string) => Promise<void>,
  signal: AbortSignal,
): Promise<CountedPages | undefined> {
  if (signal.aborted) return undefined;
  await using folder = await newTempDir();
  try {
    const path = join(folder.path, 'document');
    await fetch(path);
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

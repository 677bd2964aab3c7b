import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { SourcePage } from '../../../extract/words/page.ts';
import { linesOf } from '../../../lines.ts';
import type { JobKey } from '../../engine/item/job.ts';
import { getBytes, putObject } from '../../engine/item/objects.ts';

/** A page that fields are taken from, and what else the step knows of it. */
export interface ExtractPage extends SourcePage {
  /** Why it could not be read. */
  reason?: string;
  /** By how many degrees, clockwise, it must be turned to stand upright. */
  turn?: number;
  /** The object that holds its picture, which the model is to see. */
  picture_object?: string;
}

const objectName = 'pages.jsonl.gz';

/** Puts pages into object storage for the job that takes fields from them. Returns their object. */
export async function putPages(key: JobKey, pages: AsyncIterable<ExtractPage>): Promise<string> {
  const pieces: Buffer[] = [];
  await pipeline(
    async function* () {
      for await (const page of pages) yield `${JSON.stringify(page)}\n`;
    },
    createGzip(),
    async (compressed: AsyncIterable<Buffer>) => {
      for await (const piece of compressed) pieces.push(piece);
    },
  );
  return putObject(key, objectName, Buffer.concat(pieces), 'application/gzip');
}

/** Reads pages, each as `take` wants it: the words of a long document take much memory. */
export async function readPages<Taken>(
  object: string,
  take: (page: ExtractPage) => Taken,
): Promise<Taken[]> {
  const bytes = await getBytes(object);
  const taken: Taken[] = [];
  await pipeline([bytes], createGunzip(), async (text: AsyncIterable<Buffer>) => {
    for await (const line of linesOf(text)) taken.push(take(JSON.parse(line ?? '')));
  });
  return taken;
}

/** Returns a page as a model is asked about it. */
export const withoutWords = (page: ExtractPage): ExtractPage => ({ ...page, words: [] });

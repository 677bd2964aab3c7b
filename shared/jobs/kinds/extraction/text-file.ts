import { roomOf } from '../../engine/item/job-room.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { withFile } from '../../sources/source-file.ts';
import type { Sourced } from '../../sources/source-job.ts';
import { readTextFile } from '../chat/read-texts.ts';
import { pagesOfTexts } from './pages-of-document.ts';
import { startExtractStep } from './start-step.ts';

/** Takes fields from a text, which needs no reading. */
export async function extractFromText(job: Sourced, signal: AbortSignal): Promise<RunEnd> {
  using room = await roomOf(job, 0);
  const text = await withFile(
    job.source_object,
    (path) => readTextFile(path, job.filename, room),
    signal,
  );
  const pages = await Array.fromAsync(pagesOfTexts([{ text }]));
  const read = { page_count: pages.length, images_used: 0, cost_usd: 0 };
  return await startExtractStep(
    job,
    read,
    (async function* () {
      yield* pages;
    })(),
  );
}

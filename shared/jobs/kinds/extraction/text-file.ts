import { roomOf } from '../../engine/item/job-room.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { warningsOfTexts } from '../../results/warnings.ts';
import { withFile } from '../../sources/source-file.ts';
import type { Sourced } from '../../sources/source-job.ts';
import { readTextFile } from '../chat/read-texts.ts';
import { pagesOfTexts } from './pages-of-document.ts';
import { startExtractStep } from './start-step.ts';

/** Takes fields from a text, which needs no reading. */
export async function extractFromText(job: Sourced, signal: AbortSignal): Promise<RunEnd> {
  using room = await roomOf(job, 0);
  const read = await withFile(
    job.source_object,
    (path) => readTextFile(path, job.filename, room),
    signal,
  );
  const pages = await Array.fromAsync(pagesOfTexts([{ text: read.text }]));
  const warnings = warningsOfTexts([read]);
  const pagesRead = {
    ...{ page_count: pages.length, images_used: 0, cost_usd: 0 },
    ...(warnings.length > 0 && { warnings }),
  };
  return await startExtractStep(
    job,
    pagesRead,
    (async function* () {
      yield* pages;
    })(),
  );
}

import type { Claimed } from '../../engine/item/job.ts';
import { saveStep } from '../../engine/item/steps.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import type { OcrResult, PagesRead } from '../../results/result.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { startDocumentStep } from '../chat/document-step.ts';
import { extractionKind } from './extraction-job.ts';
import { type ExtractPage, putPages } from './source-pages.ts';

/** The name of the step that says what reading the pages came to. */
export const readName = 'read';

/** Creates the job that extracts fields from pages. The result of reading the pages is kept first. */
export async function startExtractStep(
  job: Claimed<SourceJob>,
  read: PagesRead,
  pages: AsyncIterable<ExtractPage>,
): Promise<RunEnd> {
  await saveStep(job, readName, read);
  return startDocumentStep(job, {
    kind: extractionKind,
    name: 'extract',
    takes: ['extract', 'extract_schema'],
    put: (key) => putPages(key, pages),
  });
}

/** Returns what a result says of the reading of its pages. */
export const pagesReadOf = ({
  page_count,
  images_used,
  cost_usd,
  failed_pages,
  low_confidence_pages,
  warnings,
}: OcrResult): PagesRead => ({
  ...{ page_count, images_used, cost_usd },
  ...(failed_pages && { failed_pages }),
  ...(low_confidence_pages && { low_confidence_pages }),
  ...(warnings && { warnings }),
});

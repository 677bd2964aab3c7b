import type { JobKey } from '../job.ts';
import type { OcrPage } from '../result.ts';
import { stepsBetween } from '../steps.ts';

/** A page as it was read. */
export interface PageStep extends OcrPage {
  /** What reading it cost, in nano-dollars. */
  cost?: number;
  /** The clock hour whose allowance the page's image was taken from. */
  image_hour?: string;
}

/** Returns the name of a page's step; names sort as pages do. */
export const pageName = (page: number) => `page_${String(page).padStart(5, '0')}`;

/** Some of a document's pages, from 1, both ends included. */
export interface PageRange {
  first: number;
  last: number;
}

/** Reads the pages of a range that have been read, in their order. */
export async function pageSteps(
  job: JobKey & { parent_job_id?: string },
  { first, last }: PageRange,
): Promise<PageStep[]> {
  const steps: PageStep[] = [];
  const kept = stepsBetween<PageStep>(job, pageName(first), pageName(last));
  for await (const { value } of kept) steps.push(value);
  return steps;
}

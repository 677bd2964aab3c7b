import type { Document, NamedPages } from '../../documents/document.ts';
import { underName } from '../../documents/parts/part.ts';
import type { Claimed } from '../engine/item/job.ts';
import { findStep, saveStep } from '../engine/item/steps.ts';
import type { OcrPage } from '../results/result.ts';
import { isPaged, type SourceJob } from '../sources/source-job.ts';
import type { PageStep } from './page-steps.ts';

const stepName = 'parts';

/** Writes down which of a document's pages are of files in it. */
export async function keepFileNames(job: Claimed<SourceJob>, { parts }: Document): Promise<void> {
  if (parts) await saveStep(job, stepName, parts);
}

/** Returns pages with the file that each is of; a page of the document itself has none. */
export async function withParts(job: SourceJob, steps: PageStep[]): Promise<PageStep[]> {
  if (job.source_kind && isPaged(job.source_kind)) return steps;
  const parts = (await findStep<NamedPages[]>(job, stepName)) ?? [];
  return steps.map((step) => {
    // A file within another comes after it.
    const part = parts.findLast(({ first, last }) => first <= step.page && step.page <= last);
    return part ? { ...step, part: part.name } : step;
  });
}

/** Returns the text of each page; a file in the document has its name above its first page. */
export function withFileNames(
  pages: readonly OcrPage[],
  textOf: (page: OcrPage) => string,
): string[] {
  let before: string | undefined;
  return pages.map((page) => {
    const isFirst = page.part !== before;
    before = page.part;
    return underName(isFirst ? page.part : undefined, textOf(page));
  });
}

/** A text's own line that looks like a mark. */
const mark = /^<!-- page \d+ -->$/gm;

/**
 * Returns pages as one Markdown text with a comment before each, `<!-- page 12 -->`, which viewers hide. A text split
 * at `/^<!-- page (\d+) -->$/m` gives the pages again; a page's own line that looks so is escaped.
 */
export function withPageMarks(pages: readonly OcrPage[]): string {
  const texts = withFileNames(pages, (page) => escaped(pageText(page)));
  return pages.map(({ page }, index) => `<!-- page ${page} -->\n\n${texts[index]}`).join('\n\n');
}

/** Returns the text of a page; where the page failed, the text says so in its place. */
export const pageText = ({ page, text, error }: OcrPage) =>
  text ?? `[Page ${page} could not be read: ${error}]`;

const escaped = (text: string) => text.replace(mark, '\\$&');

import type { Document, NamedPages } from '../../documents/document.ts';
import { underName } from '../../documents/parts/part.ts';
import type { Claimed } from '../engine/item/job.ts';
import { findStep, saveStep } from '../engine/item/steps.ts';
import type { OcrPage } from '../results/result.ts';
import { isPaged, type SourceJob } from '../sources/source-job.ts';

const stepName = 'parts';

/** Writes down which of a document's pages are of files in it. */
export async function keepFileNames(job: Claimed<SourceJob>, { parts }: Document): Promise<void> {
  if (parts) await saveStep(job, stepName, parts);
}

/** Returns the file that each page of a job is of, by page; none for a page of the document itself. */
export async function namesOfPages(job: SourceJob): Promise<Map<number, { part: string }>> {
  const names = new Map<number, { part: string }>();
  if (job.source_kind && isPaged(job.source_kind)) return names;
  for (const { name, first, last } of (await findStep<NamedPages[]>(job, stepName)) ?? []) {
    for (let page = first; page <= last; page++) names.set(page, { part: name });
  }
  return names;
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

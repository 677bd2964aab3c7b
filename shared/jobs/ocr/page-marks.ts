import type { OcrPage } from '../result.ts';
import { withPartNames } from './named-parts.ts';

/** A text's own line that looks like a mark. */
const mark = /^<!-- page \d+ -->$/gm;

/**
 * Returns pages as one Markdown text. Before each stands a comment with its number, which no viewer shows, on
 * a line of its own: `<!-- page 12 -->`. A text split at `/^<!-- page (\d+) -->$/m` gives the pages again. A
 * page's own line that looks like a mark is escaped, and shown as it was.
 */
export function withPageMarks(pages: readonly OcrPage[]): string {
  const texts = withPartNames(pages, (page) => escaped(pageText(page)));
  return pages.map(({ page }, index) => `<!-- page ${page} -->\n\n${texts[index]}`).join('\n\n');
}

/** Returns the text of a page; where the page failed, the text says so in its place. */
export const pageText = ({ page, text, error }: OcrPage) =>
  text ?? `[Page ${page} could not be read: ${error}]`;

const escaped = (text: string) => text.replace(mark, '\\$&');

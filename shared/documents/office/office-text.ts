import type { Archive } from './archive.ts';
import { readDocx } from './docx.ts';
import type { OfficeKind } from './kind.ts';
import { type Markdown, markdownUpTo } from './markdown.ts';
import { readOpenDocument } from './opendocument.ts';
import { readPptx } from './pptx.ts';
import { readXlsx } from './xlsx.ts';

const readers: Record<OfficeKind, (archive: Archive, markdown: Markdown) => void> = {
  docx: readDocx,
  pptx: readPptx,
  xlsx: readXlsx,
  odt: readOpenDocument,
  odp: readOpenDocument,
  ods: readOpenDocument,
};

/**
 * Returns the text of an Office file as Markdown: headings, lists, tables, slides with titles and notes, sheets with
 * names. Macros, pictures and whatever lies outside the file are left out. A longer text ends at `maxCharacters`. Throws
 * 422 for a file that is encrypted, damaged, not of this kind, or made to take too much memory.
 */
export const officeText = (archive: Archive, kind: OfficeKind, maxCharacters: number): string =>
  markdownUpTo(maxCharacters, (markdown) => readers[kind](archive, markdown));

import { type Markdown, markdownUpTo } from '../markdown.ts';
import type { OfficeKind } from '../office-kind.ts';
import type { Warning } from '../warnings.ts';
import type { Archive } from './archive.ts';
import { readDocx } from './docx.ts';
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
 * Returns an Office file's text as Markdown, up to `maxCharacters`, without macros, pictures and outer files. Throws
 * 422 for a file that is encrypted, damaged, of another kind, or a bomb.
 */
export const officeText = (
  archive: Archive,
  kind: OfficeKind,
  maxCharacters: number,
  warned?: Set<Warning>,
): string => markdownUpTo(maxCharacters, (markdown) => readers[kind](archive, markdown), warned);

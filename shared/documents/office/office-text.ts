import { readFileSync } from 'node:fs';
import { emptyDocument, encryptedDocument, unreadableDocument } from '../errors.ts';
import { Archive } from './archive.ts';
import { readDocx } from './docx.ts';
import type { OfficeKind } from './kind.ts';
import { Markdown, TextIsFull } from './markdown.ts';
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
 * Returns the text of an Office file, given as its path or its bytes, as Markdown: headings, lists, tables,
 * slides with titles and notes, sheets with names. Macros, pictures and whatever lies outside the file are left
 * out. A text of more than 20 million characters ends there, unless `maxCharacters` says otherwise. Throws 422
 * for a file that is encrypted, damaged, not of this kind, or made to take too much memory.
 */
export function officeText(
  file: string | Uint8Array,
  kind: OfficeKind,
  { maxCharacters = 20_000_000 }: { maxCharacters?: number } = {},
): string {
  const bytes = typeof file === 'string' ? readFileSync(file) : file;
  if (bytes.length === 0) throw emptyDocument('bytes');
  refuseCompoundFile(bytes);
  return archiveText(new Archive(bytes), kind, maxCharacters);
}

/** Returns the same of an archive that is open. */
export function archiveText(
  archive: Archive,
  kind: OfficeKind,
  maxCharacters = 20_000_000,
): string {
  const markdown = new Markdown(maxCharacters);
  try {
    readers[kind](archive, markdown);
  } catch (error) {
    if (!(error instanceof TextIsFull)) throw error;
  }
  return markdown.toString();
}

/** @see https://learn.microsoft.com/en-us/openspecs/windows_protocols/ms-cfb/ */
const compoundFileStart = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * Throws 422 for a file that is no archive, but a compound file of Microsoft's: an encrypted file is put into
 * one, in a stream named `EncryptedPackage`, and older formats are one.
 */
function refuseCompoundFile(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.subarray(0, compoundFileStart.length).equals(compoundFileStart)) return;
  if (file.includes('EncryptedPackage', 0, 'utf16le')) throw encryptedDocument();
  throw unreadableDocument('it is of an older Office format: save it in the current one');
}

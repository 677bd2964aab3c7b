import { type OfficeKind, officeTypes } from '../office-kind.ts';
import type { Archive } from './archive.ts';
import { mainPartOf } from './relationships.ts';

/** What a ZIP archive is: an Office file, an e-book, or an archive of files. */
export type ArchiveKind = OfficeKind | 'epub' | 'zip';

const kindByType = new Map<string, ArchiveKind>([
  ...Object.entries(officeTypes).map(([kind, type]) => [type, kind as OfficeKind] as const),
  ['application/epub+zip', 'epub'],
]);

/** By the folder that the main part of an Office Open XML file lies in. */
const kindByFolder = new Map<string, OfficeKind>([
  ['word', 'docx'],
  ['ppt', 'pptx'],
  ['xl', 'xlsx'],
]);
const maxTypeBytes = 100;

/** Returns an archive's kind by its content: OpenDocument and EPUB name their type, Office Open XML its main part. */
export function archiveKindOf(archive: Archive): ArchiveKind {
  if (archive.has('mimetype')) {
    const type = archive.read('mimetype').toString('latin1', 0, maxTypeBytes).trim();
    const kind = kindByType.get(type);
    if (kind) return kind;
  }
  if (!archive.has('_rels/.rels')) return 'zip';
  return kindByFolder.get(mainPartOf(archive, '').split('/')[0] ?? '') ?? 'zip';
}

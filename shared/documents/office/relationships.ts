import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import { attribute, attributesOf } from './xml.ts';

/** A part that another part names. Only parts of the same archive are among them. */
export interface Relationship {
  id: string;
  /** The last word of its type, such as `styles`. */
  type: string;
  /** The name of the part in the archive. */
  part: string;
}

/**
 * Returns the parts that a part of an Office Open XML file names; for '' the whole file's.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
export function relationshipsOf(archive: Archive, part: string): Relationship[] {
  const { dir, base } = posix.parse(part);
  const name = posix.join(dir, '_rels', `${base}.rels`);
  if (!archive.has(name)) return [];
  return attributesOf(archive, name, 'Relationships', 'Relationship')
    .filter((attributes) => attribute(attributes, 'TargetMode') !== 'External')
    .map((attributes) => ({
      id: attribute(attributes, 'Id') ?? '',
      type: attribute(attributes, 'Type')?.split('/').at(-1) ?? '',
      part: posix.resolve(`/${dir}`, attribute(attributes, 'Target') ?? '').slice(1),
    }));
}

/** Returns the first part in the archive that meets a condition. */
export const partWhere = (
  archive: Archive,
  relationships: readonly Relationship[],
  is: (relationship: Relationship) => boolean,
): string | undefined => relationships.find((each) => is(each) && archive.has(each.part))?.part;

/** Returns the part that a file's text begins in, or the usual one if the file names none. */
export function mainPartOf(archive: Archive, usual: string): string {
  return relationshipsOf(archive, '').find(({ type }) => type === 'officeDocument')?.part ?? usual;
}

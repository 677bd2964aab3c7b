import { extname, parse } from 'node:path';
import { formatOfName, formatOfType } from './google-files.ts';

const maxNameBytes = 255;
/** Leaves room for the ` (123)` that is added to a name that is taken. */
const maxChosenBytes = maxNameBytes - 8;

/** Returns the name on disk for a file's name in Drive, which may hold any character and have any length. */
export function diskNameFor(name: string, mimeType: string): string {
  const format = formatOfType(mimeType);
  const safe = shorten(
    name
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a disk takes none of them.
      .replace(/[/\\\u0000-\u001f]/g, '_')
      .replace(/^\./, '_.'),
    format?.extension,
  );
  if (format) return `${safe}${format.extension}`;
  // With such an extension it would be taken for a Google file.
  return formatOfName(safe) ? `${safe}.bin` : safe;
}

/** Returns the n-th alternative to a name that is taken; the name itself for 0. */
export function otherName(diskName: string, n: number): string {
  const { name, ext } = parse(diskName);
  return n === 0 ? diskName : `${name} (${n})${ext}`;
}

function shorten(name: string, extension = extname(name).slice(0, 32)): string {
  if (Buffer.byteLength(name) <= maxChosenBytes - extension.length) return name;
  const room = maxChosenBytes - Buffer.byteLength(extension);
  const stem = Buffer.from(name)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, '');
  return stem + (name.endsWith(extension) ? extension : '');
}

import { extname, parse } from 'node:path';
import { formatOfName, formatOfType } from './google-files.ts';

const maxNameBytes = 255;
// Room for ` (123)` where a name is taken.
const maxStemBytes = maxNameBytes - 8;

/** The name on disk for a file's name in Drive, which may be anything. */
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
  // By its extension alone it would be taken for a Google file.
  return formatOfName(safe) ? `${safe}.bin` : safe;
}

/** The n-th other name for a file whose name is taken. */
export function otherName(diskName: string, n: number): string {
  const { name, ext } = parse(diskName);
  return n === 0 ? diskName : `${name} (${n})${ext}`;
}

function shorten(name: string, extension = extname(name).slice(0, 32)): string {
  if (Buffer.byteLength(name) <= maxStemBytes - extension.length) return name;
  const room = maxStemBytes - Buffer.byteLength(extension);
  const stem = Buffer.from(name)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, '');
  return stem + (name.endsWith(extension) ? extension : '');
}

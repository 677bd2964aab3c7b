/** Formats that a file's first bytes give away, as Latin-1; from an offset, if there is one. */
const signatures: readonly (readonly [type: string, start: string, offset?: number])[] = [
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
  ['image/tiff', 'II+\0'],
  ['image/tiff', 'MM\0+'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/jp2', 'jP  ', 4],
  ['application/zip', 'PK\x03\x04'],
  // An archive of nothing.
  ['application/zip', 'PK\x05\x06'],
  ['application/gzip', '\x1f\x8b'],
  ['application/x-tar', 'ustar', 257],
  ['application/x-ole-storage', '\xd0\xcf\x11\xe0'],
  ['application/rtf', '{\\rtf'],
  ['application/postscript', '%!PS'],
];

/** The media types of files of the ISO base media format, by brand. @see https://mp4ra.org/ */
const brands: Record<string, string> = {
  avif: 'image/avif',
  avis: 'image/avif',
  heic: 'image/heic',
  heix: 'image/heic',
  hevc: 'image/heic-sequence',
  mif1: 'image/heif',
};

/** Returns the media type that a file's first bytes give away; undefined for text and for unknown formats. */
export function typeBySignature(firstBytes: Uint8Array): string | undefined {
  const start = Buffer.from(firstBytes.subarray(0, 264)).toString('latin1');
  if (start.trimStart().startsWith('%PDF-')) return 'application/pdf';
  // A note may have these letters in their place, but not the bytes before them.
  if (start.startsWith('ftyp', 4) && start.startsWith('\0')) return typeByBrand(start);
  if (start.startsWith('WEBP', 8) && start.startsWith('RIFF')) return 'image/webp';
  if (isBmp(firstBytes)) return 'image/bmp';
  if (/^P[1-6]\s+(#[^\n]{0,200}\n\s*)?\d{1,6}\s+\d{1,6}\s/.test(start))
    return 'image/x-portable-anymap';
  return signatures.find(([, known, offset]) => start.startsWith(known, offset))?.[0];
}

/** Returns a media type by a file's brands. If the first is a general one, the compatible ones say more. */
function typeByBrand(start: string): string {
  const end = Math.min(start.length, Buffer.from(start.slice(0, 4), 'latin1').readUInt32BE());
  const named = start.slice(8, end).match(/.{4}/gs) ?? [];
  const known = named.map((brand) => brands[brand]).filter((type) => type !== undefined);
  return known.find((type) => type !== 'image/heif') ?? known[0] ?? 'video/mp4';
}

/**
 * The sizes of a BMP's second header. Two letters alone would take a text for a picture.
 * @see https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-header-types
 */
const bmpHeaderBytes = [12, 40, 52, 56, 64, 108, 124];

function isBmp(firstBytes: Uint8Array): boolean {
  const head = Buffer.from(firstBytes.subarray(0, 18));
  return (
    head.length === 18 &&
    head.toString('latin1', 0, 2) === 'BM' &&
    bmpHeaderBytes.includes(head.readUInt32LE(14))
  );
}

/** A format that its first bytes give away. */
interface Signature {
  type: string;
  /** As Latin-1. */
  start: string;
  offset?: number;
}

const signatures: Signature[] = [
  { type: 'image/jpeg', start: '\xff\xd8\xff' },
  { type: 'image/png', start: '\x89PNG\r\n\x1a\n' },
  { type: 'image/tiff', start: 'II*\0' },
  { type: 'image/tiff', start: 'MM\0*' },
  { type: 'image/tiff', start: 'II+\0' },
  { type: 'image/tiff', start: 'MM\0+' },
  { type: 'image/gif', start: 'GIF87a' },
  { type: 'image/gif', start: 'GIF89a' },
  { type: 'image/jp2', start: 'jP  ', offset: 4 },
  { type: 'application/zip', start: 'PK\x03\x04' },
  // An archive of nothing.
  { type: 'application/zip', start: 'PK\x05\x06' },
  { type: 'application/gzip', start: '\x1f\x8b' },
  { type: 'application/x-tar', start: 'ustar', offset: 257 },
  { type: 'application/x-ole-storage', start: '\xd0\xcf\x11\xe0' },
  { type: 'application/rtf', start: '{\\rtf' },
  { type: 'application/postscript', start: '%!PS' },
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
  // A note may have these letters in their place, but not what stands before them.
  if (start.startsWith('ftyp', 4) && start.startsWith('\0')) return typeByBrand(start);
  if (start.startsWith('WEBP', 8) && start.startsWith('RIFF')) return 'image/webp';
  if (isBmp(firstBytes)) return 'image/bmp';
  if (/^P[1-6]\s+(#[^\n]{0,200}\n\s*)?\d{1,6}\s+\d{1,6}\s/.test(start))
    return 'image/x-portable-anymap';
  return signatures.find((known) => start.startsWith(known.start, known.offset ?? 0))?.type;
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

import { constants, inflateSync } from 'node:zlib';

const page = /\/Type\s*\/Page(?![A-Za-z])/g;
const objects = /\/Type\s*\/ObjStm[\s\S]{0,400}?stream\r?\n/g;
/** The most bytes unpacked of each stream of objects, and the most streams. */
const unpacking = { maxOutputLength: 2 ** 20, finishFlush: constants.Z_SYNC_FLUSH };
const mostStreams = 200;

/** Estimates the pages of a PDF by its objects, given a URL with its data: 1 for what isn't read. */
export function pdfPagesIn(url: string): number {
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const text = bytes.toString('latin1');
  const packed = [...text.matchAll(objects).take(mostStreams)].map(({ 0: head, index }) =>
    unpacked(bytes.subarray(index + head.length)),
  );
  return Math.max(1, [text, ...packed].join('\n').match(page)?.length ?? 0);
}

function unpacked(stream: Buffer): string {
  try {
    return inflateSync(stream, unpacking).toString('latin1');
  } catch {
    return '';
  }
}

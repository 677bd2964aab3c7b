import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { decodeHtml, htmlText } from '../documents/html-text.ts';
import { kindOf, mediaTypeOf } from '../documents/kind.ts';
import { officeKindOf } from '../documents/office/kind.ts';
import { officeText } from '../documents/office/office-text.ts';
import { readRtf } from '../documents/rtf-text.ts';
import { decodeText } from '../documents/text.ts';
import { textLayersIn } from '../documents/text-layers.ts';
import { openContent } from '../drive/content.ts';
import type { DriveFile } from '../drive/file.ts';
import { newTempDir } from '../temp-dir.ts';

/** When the reading of all documents must end. */
export interface Deadline {
  signal: AbortSignal;
  /** The same moment: while a document is taken apart, no timer fires. */
  atMs: number;
}

/** What a document says, or why it can't be told. */
export type Reading = { text: string } | { skipped: string };

const maxFileMb = 20;
const maxFileBytes = maxFileMb * 1024 * 1024;
const maxCharacters = 400_000;
/** A text's size in the function's answer, of which six must fit into the 6 MB that Lambda takes. */
const maxJsonBytes = 800_000;
const firstBytes = 4_096;

const pictureReason = 'it is a picture: read it with an ocr job first';
const scanReason = 'it is a scan: read it with an ocr job first';
const tooLargeReason = `it is larger than ${maxFileMb} MB`;

/**
 * Downloads a file and returns its text, as Markdown if it has a format of its own. Throws what `openContent`
 * throws, 422 for a file that is damaged or encrypted, and the deadline's reason.
 */
export async function readDocument(file: DriveFile, deadline: Deadline): Promise<Reading> {
  const unread = reasonAgainst(file);
  if (unread) return { skipped: unread };
  if ((file.size ?? 0) > maxFileBytes) return { skipped: tooLargeReason };
  const { body, mimeType, filename } = await openContent(file, deadline.signal);
  const bytes = await collect(body);
  if (!bytes) return { skipped: tooLargeReason };
  const reading = await readBytes(bytes, mimeType, filename, deadline);
  if (Date.now() >= deadline.atMs) throw new Error('The deadline has passed');
  if ('skipped' in reading) return reading;
  const text = cutToSize(reading.text);
  return text ? { text } : { skipped: 'there is no text in it' };
}

async function readBytes(
  bytes: Buffer,
  mimeType: string,
  filename: string,
  deadline: Deadline,
): Promise<Reading> {
  const office = officeKindOf(mimeType, filename);
  if (office) return { text: officeText(bytes, office, { maxCharacters }) };
  const start = bytes.subarray(0, firstBytes);
  const kind = kindOf(start, mimeType, filename);
  if (kind === 'pdf') return readPdf(bytes, deadline);
  if (kind === 'image') return { skipped: pictureReason };
  if (kind === 'html') return { text: htmlText(decodeHtml(bytes), maxCharacters) };
  if (kind === 'rtf') return { text: readRtf(bytes, maxCharacters).text };
  if (kind === undefined || kind === 'archive') {
    return { skipped: reasonOf(mediaTypeOf(start, mimeType, filename)) };
  }
  return { text: decodeText(bytes) };
}

async function readPdf(bytes: Buffer, { signal }: Deadline): Promise<Reading> {
  const folder = await newTempDir();
  try {
    const path = join(folder, 'document.pdf');
    await writeFile(path, bytes);
    const pages: string[] = [];
    let count = 0;
    let characters = 0;
    for await (const layer of textLayersIn(path, { turn: '', losses: { count: 0 }, signal })) {
      // Timers fire between two pages, so that the deadline is seen.
      await setImmediate();
      signal.throwIfAborted();
      count += 1;
      if (layer) pages.push(layer);
      characters += layer?.length ?? 0;
      if (characters > maxCharacters) break;
    }
    if (pages.length === 0) return { skipped: scanReason };
    return { text: [...pages, ...leftOut(count - pages.length, count)].join('\n\n') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function leftOut(unread: number, count: number): string[] {
  if (unread === 0) return [];
  return [`(Left out: ${unread} of ${count} pages, which are scans or pictures.)`];
}

/** Collects a body of up to 20 MB; returns undefined for a longer one, and ends its download. */
async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxFileBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Cuts a text to what may be returned, without half a character at its end. */
function cutToSize(text: string): string {
  let cut = text.trim().slice(0, maxCharacters);
  for (;;) {
    const bytes = Buffer.byteLength(JSON.stringify(cut));
    if (bytes <= maxJsonBytes) return cut.toWellFormed();
    cut = cut.slice(0, Math.floor((cut.length * maxJsonBytes) / bytes) - 1);
  }
}

/** Returns why a file isn't downloaded, if its type says that there is no text in it. */
function reasonAgainst({ mimeType, name }: DriveFile): string | undefined {
  const isUnread = /^(image|audio|video|font)\//.test(mimeType) || archives.has(mimeType);
  // An Office file may be declared as the archive that it is.
  return isUnread && !officeKindOf(mimeType, name) ? reasonOf(mimeType) : undefined;
}

const archives = new Set([
  'application/zip',
  'application/gzip',
  'application/x-7z-compressed',
  'application/x-tar',
  'application/vnd.rar',
]);

function reasonOf(type: string): string {
  if (type.startsWith('image/')) return pictureReason;
  if (type.startsWith('audio/')) return 'it is a sound recording';
  if (type.startsWith('video/')) return 'it is a video';
  if (archives.has(type)) return 'it is an archive';
  return `files of type ${type} can't be read`;
}

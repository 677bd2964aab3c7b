import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Document } from '../../shared/documents/document.ts';
import { openDocument } from '../../shared/documents/parts/open-document.ts';
import { loadVips } from '../../shared/documents/vips.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-documents-'));
const documents: Document[] = [];
let files = 0;

afterAll(() => {
  for (const document of documents) document.close();
  rmSync(folder, { recursive: true });
});

/** Writes a file that goes when the tests are done. */
export function fileOf(bytes: Uint8Array | string): string {
  files += 1;
  const path = join(folder, `document [${files}]`);
  writeFileSync(path, bytes);
  return path;
}

/** Opens a document from a file with these bytes; it is closed when the tests are done. */
export async function open(bytes: Uint8Array | string, kind: 'pdf' | 'image'): Promise<Document> {
  const document = await openDocument(fileOf(bytes), kind, { turn: 'key' });
  documents.push(document);
  return document;
}

/** What can be seen of a page's picture. */
export async function look(jpeg: Uint8Array | undefined) {
  if (!jpeg) throw new Error('The page has no picture');
  const vips = await loadVips();
  const image = vips.Image.newFromBuffer(jpeg);
  const { width, height, bands } = image;
  /** The grey of a spot, its place given as shares of width and height. */
  const greyAt = (x: number, y: number) =>
    image.getpoint(Math.floor(x * width), Math.floor(y * height))[0] ?? Number.NaN;
  return { width, height, bands, greyAt, darkest: image.min() };
}

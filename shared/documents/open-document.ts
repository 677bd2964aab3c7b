import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Document } from './document.ts';
import { emptyDocument } from './errors.ts';
import { joinDocuments } from './joined-document.ts';
import { type CompositeKind, isComposite } from './kind.ts';
import { openPages } from './open-pages.ts';
import { hasPages, type Part } from './parts/part.ts';
import { takeApart } from './parts/take-apart.ts';
import type { DocumentReading } from './processes/read-in-process.ts';
import { textDocument } from './text-document.ts';

/** The kinds of documents that have pages, or are taken apart into such. */
export type OpenableKind = 'pdf' | 'image' | CompositeKind;

export interface OpeningOptions extends Omit<DocumentReading, 'losses'> {
  forceOcr?: boolean;
  /** Shared by documents that are read for one job. */
  losses?: DocumentReading['losses'];
}

/**
 * Opens a document; throws 422 if it is empty, encrypted, cut off or not what it should be. With `forceOcr` the
 * pictures beside a text are pages too.
 */
export async function openDocument(
  path: string,
  kind: OpenableKind,
  { forceOcr = false, ...given }: OpeningOptions,
): Promise<Document> {
  const reading = { losses: { count: 0 }, ...given };
  if (statSync(path).size === 0) throw emptyDocument('bytes');
  if (isComposite(kind)) return openParts(path, kind, forceOcr, reading);
  return openPages(path, kind, reading);
}

async function openParts(
  path: string,
  kind: CompositeKind,
  forceOcr: boolean,
  reading: DocumentReading,
): Promise<Document> {
  const folder = await mkdtemp(`${path}-`);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const parts = await takeApart({ path, kind, folder, forceOcr }, reading);
    const pieces = parts.map((part) => ({ name: part.name, open: () => openPart(part, reading) }));
    const document = await joinDocuments(pieces, () => void remove());
    return { ...document, isText: !hasPages(parts, forceOcr) };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function openPart(part: Part, reading: DocumentReading): Promise<Document> {
  if (part.is === 'unreadable') throw part.error;
  if (part.is === 'pages') return openPages(part.path, part.kind, reading);
  return textDocument(part.text);
}

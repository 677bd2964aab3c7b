import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { setting } from '../../config.ts';
import { type Document, type FileOnDisk, textDocument } from '../document.ts';
import { emptyDocument, unsupportedFile } from '../errors.ts';
import { joinDocuments } from '../joined-document.ts';
import { type CompositeKind, isComposite, kindOf, mediaTypeOf } from '../kind.ts';
import { refusal } from '../processes/answer-requests.ts';
import { DocumentProcess } from '../processes/document-process.ts';
import type { DocumentAnswer, DocumentRequest } from '../processes/document-requests.ts';
import { type DocumentReading, openInProcess } from '../processes/read-in-process.ts';
import { processBeside } from '../processes/start-process.ts';
import { readText } from '../text.ts';
import { typeInWords } from '../type-words.ts';
import { hasPages, type Part } from './part.ts';
import { takeApart } from './take-apart.ts';

/** The kinds of documents that have pages, or are taken apart into such. */
export type OpenableKind = 'pdf' | 'image' | CompositeKind;

export interface OpeningOptions extends Omit<DocumentReading, 'losses'> {
  forceOcr?: boolean;
  /** How deep the document lies in PDFs that carry it. */
  depth?: number;
  /** Shared by documents that are read for one job. */
  losses?: DocumentReading['losses'];
}

/** Opens a document; throws 422 if it can't be. With `forceOcr` the pictures beside a text are pages too. */
export async function openDocument(
  path: string,
  kind: OpenableKind,
  { forceOcr = false, ...given }: OpeningOptions,
): Promise<Document> {
  const reading = { losses: { count: 0 }, ...given };
  if (statSync(path).size === 0) throw emptyDocument('bytes');
  if (isComposite(kind)) return openParts(path, kind, forceOcr, reading);
  const pages = await openPages(path, kind, reading);
  return pages.takeOut ? withFiles(pages, path, given, { forceOcr, reading }) : pages;
}

/** How deep a file may lie in PDFs. */
const maxDepth = 3;

/** Joins a PDF and the files that it carries. */
async function withFiles(
  pages: Document,
  path: string,
  { depth = 0, ...given }: OpeningOptions,
  { forceOcr, reading }: { forceOcr: boolean; reading: DocumentReading },
): Promise<Document> {
  if (depth >= maxDepth) return pages;
  const folder = await mkdtemp(`${path}-`);
  const files = (await pages.takeOut?.(folder)) ?? [];
  pages.close();
  const openFile = ({ name, path: file }: FileOnDisk) =>
    openAny(file, name, { ...given, ...reading, forceOcr, depth: depth + 1 });
  return joinDocuments(
    [
      { name: '', open: () => openPages(path, 'pdf', reading) },
      ...files.map((file) => ({ name: file.name, open: () => openFile(file) })),
    ],
    () => void rm(folder, { recursive: true, force: true }),
  );
}

async function openAny(path: string, name: string, options: OpeningOptions): Promise<Document> {
  const bytes = await readFile(path);
  const kind = kindOf(bytes, '', name);
  if (!kind) throw unsupportedFile('It', typeInWords(mediaTypeOf(bytes, '', name)));
  if (kind === 'pdf' || kind === 'image' || isComposite(kind)) {
    return openDocument(path, kind, options);
  }
  return textDocument(readText(bytes));
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
  if (part.is === 'unreadable') throw refusal(part.error);
  if (part.is === 'pages') return openPages(part.path, part.kind, reading);
  return textDocument(part);
}

const pagesProcess = new DocumentProcess<DocumentRequest, DocumentAnswer>(
  processBeside(import.meta.url, 'pages-process'),
  { heapMb: 256 },
);

/**
 * Opens a PDF or a picture, drawn in a shared process. Throws 422 if it can't be read, or twice takes too much time
 * or memory. A page of A4 takes half a second.
 */
const openPages = (
  path: string,
  kind: 'pdf' | 'image',
  reading: DocumentReading,
): Promise<Document> =>
  openInProcess({ process: pagesProcess, ms: setting('PAGE_SECONDS') * 1000 }, path, kind, reading);

import { statSync } from 'node:fs';
import type { Document } from './document.ts';
import { emptyDocument } from './errors.ts';
import { openImage } from './image.ts';
import { openPdf } from './pdf.ts';

/** Opens a document; throws 422 if it is empty, encrypted, cut off or not what it should be. */
export async function openDocument(path: string, kind: 'pdf' | 'image'): Promise<Document> {
  if (statSync(path).size === 0) throw emptyDocument('bytes');
  return kind === 'pdf' ? openPdf(path) : openImage(path);
}

import { setting } from '../../config.ts';
import type { CompositeKind } from '../../documents/kind.ts';
import { documentTexts } from '../../documents/parts/document-texts.ts';
import { ServiceError } from '../../http/errors.ts';

/** A longer text would be put to the model in hundreds of parts. A file of requests may be longer. */
export const maxTextBytes = 20 * 1024 * 1024;

/** Returns the text of a document, page by page, without reading pictures. Throws 422 if there is no text. */
export async function textsOf(
  path: string,
  kind: 'pdf' | CompositeKind,
  name: string,
): Promise<string[]> {
  const { pages: maxPages } = setting('DOCUMENT_LIMITS');
  const limits = { pages: maxPages, characters: maxTextBytes };
  const { pages, hasText } = await documentTexts(path, kind, limits);
  if (hasText) return pages;
  throw new ServiceError(
    422,
    'no_text',
    `${name} has no text that can be read without OCR: use job_type ocr, or the pipeline ocr_then_chat.`,
  );
}

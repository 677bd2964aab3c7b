import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainedFile } from '../document.ts';
import { emptyDocument, unsupportedFile } from '../errors.ts';
import { isComposite, kindOf, mediaTypeOf } from '../kind.ts';
import { decodeText } from '../text.ts';
import { typeInWords } from '../type-words.ts';
import { documentTexts, type TextLimits } from './document-texts.ts';

/**
 * Returns a file's text for a model, without OCR. It may put files into `folder`. Throws 422 for one without text, of
 * an unsupported kind, or beyond the limits, and their `signal`'s reason.
 */
export async function fileText(
  { name, mimeType, bytes }: ContainedFile,
  folder: string,
  limits: TextLimits,
): Promise<string> {
  if (bytes.length === 0) throw emptyDocument('bytes');
  const kind = kindOf(bytes, mimeType, name);
  if (!kind) throw unsupportedFile(name, typeInWords(mediaTypeOf(bytes, mimeType, name)));
  if (kind === 'image') throw unsupportedFile(name, 'a picture', ' as a file: send it as an image');
  if (kind !== 'pdf' && !isComposite(kind)) return decodeText(bytes);
  const path = join(folder, 'document');
  await writeFile(path, bytes);
  const texts = await documentTexts(path, kind, name, limits);
  return texts.map(({ text }) => text).join('\n\n');
}

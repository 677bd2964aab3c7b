import { officeKindOf } from '../documents/office-kind.ts';
import { typeInWords } from '../documents/type-words.ts';
import { DriveError } from '../drive/errors.ts';
import type { DriveFile } from '../drive/file.ts';
import { ServiceError } from '../http/errors.ts';

// Why documents are skipped. Each reason ends a sentence such as "`title` was left out: it is encrypted".

export const scanReason = 'it is a scan: read it with an ocr job first';

/** Archives that are not taken apart. */
const archives = new Set([
  'application/gzip',
  'application/x-7z-compressed',
  'application/x-tar',
  'application/vnd.rar',
]);

/** Returns why a file isn't downloaded, if its type says that there is no text in it. */
export function reasonAgainst({ mimeType, name }: DriveFile): string | undefined {
  const isUnread = /^(image|audio|video|font)\//.test(mimeType) || archives.has(mimeType);
  // An Office file may be declared as something else.
  return isUnread && !officeKindOf(mimeType, name) ? reasonAgainstType(mimeType) : undefined;
}

/** Returns why a file of a type isn't read. */
export function reasonAgainstType(type: string): string {
  if (type.startsWith('image/')) return 'it is a picture: read it with an ocr job first';
  if (archives.has(type)) return 'it is an archive';
  const isNamed = /^(audio|video)\//.test(type) || type === 'application/x-ole-storage';
  return isNamed ? `it is ${typeInWords(type)}` : `files of type ${type} can't be read`;
}

/** Returns the reason that is in an error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return "it can't be read";
  if (!(error instanceof DriveError) && error.statusCode >= 500) return "it can't be read now";
  if (error.statusCode === 503) return 'Google Drive does not give its content now';
  if (error.statusCode === 403) return 'Google Drive does not let its content be read';
  return reasonIn(error.message);
}

/** Returns the reason that is in a sentence about a document. */
export const reasonIn = (sentence: string) =>
  sentence
    .replace(/^(The document|It) /, 'it ')
    .replace(/^Files /, 'files ')
    .replace(/\.$/, '');

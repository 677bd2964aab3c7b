import { ServiceError } from '../http/errors.ts';

/** 422: the document needs a password, and there is no way to give one. */
export function encryptedDocument(): ServiceError {
  return permanent(
    'encrypted_document',
    'The document is encrypted and opens with a password only. Save a copy without one.',
  );
}

/** 422: the document has nothing in it. */
export function emptyDocument(what: 'bytes' | 'pages' | 'files'): ServiceError {
  return permanent('empty_document', `The document is empty: it has no ${what}.`);
}

/** 422: no page of the document can be read. */
export function unreadableDocument(why: string, cause?: unknown): ServiceError {
  return permanent('unreadable_document', `The document can't be read: ${why}.`, cause);
}

/** 422: the document has more text than is read of one. */
export function tooLongDocument(): ServiceError {
  return unreadableDocument('it is too long to be read as a whole');
}

/** 422: this page can't be read; others may be. */
export function unreadablePage(page: number, why: string, cause?: unknown): ServiceError {
  return permanent('unreadable_page', `Page ${page} can't be read: ${why}.`, cause);
}

/** 422: the file's format, which `words` name, is not read. */
export function unsupportedFile(name: string, words: string, advice = ''): ServiceError {
  const message = `${name} is ${words}, which is not supported${advice}.`;
  return permanent('unsupported_file_type', message);
}

function permanent(code: string, message: string, cause?: unknown): ServiceError {
  return new ServiceError(422, code, message, { cause, retryAfterSeconds: null });
}

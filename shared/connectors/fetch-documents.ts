import pLimit from 'p-limit';
import { abortable } from '../abortable.ts';
import { unlessHidden } from '../drive/errors.ts';
import { getReadableItem, toDriveFile } from '../drive/file.ts';
import { type Access, accessUnder, folderType, type Item } from '../drive/item.ts';
import { NotFoundError, ServiceError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import { type Deadline, documentText } from './document-text.ts';
import {
  type DriveQuestion,
  type FetchedDocument,
  hitOf,
  linkTo,
  maxFetched,
} from './drive-documents.ts';
import { reasonOf } from './skipped.ts';

/** Beneath the function's timeout, so that what was read until then is returned. */
const timeLimitMs = 25_000;
/** How much longer is waited for what ends by itself when the time is up, and deletes what it has handed over. */
const graceMs = 1_500;
/** Each may take 20 MB of memory, and its copies on the way. */
const readsAtOnce = 3;

const tooLate = { skipped: 'it took too long to read' };

/**
 * Reads up to six documents by ids, in order. Access is checked anew: those outside the key's folders are left out,
 * as are those that take too long. Throws 503 if Drive doesn't say what they are.
 */
export async function fetchDocuments(
  { keyId, folders, ids }: Omit<Extract<DriveQuestion, { ask: 'fetch' }>, 'ask'>,
  limitMs = timeLimitMs,
): Promise<FetchedDocument[]> {
  const deadline = { signal: AbortSignal.timeout(limitMs), atMs: Date.now() + limitMs };
  const end = AbortSignal.timeout(limitMs + graceMs);
  const isReadable = accessUnder(folders);
  const wanted = [...new Set(ids)].slice(0, maxFetched);
  const found = await Promise.all(wanted.map((id) => find(id, isReadable, deadline)));
  const documents = await pLimit(readsAtOnce).map(distinct(found), (each) =>
    read(keyId, each, deadline, end),
  );
  return documents.filter((document) => document !== undefined);
}

/** A document that was asked for. */
interface Found {
  id: string;
  /** Absent if it wasn't found in time: nothing is known of it, not even whether it may be read. */
  item?: Item;
}

async function find(
  id: string,
  isReadable: Access,
  { signal }: Deadline,
): Promise<Found | undefined> {
  const item = await inTime(unlessHidden(getReadableItem(id, isReadable)), signal, 'late' as const);
  if (item === 'late') return { id };
  return item && item.mimeType !== folderType ? { id: item.id, item } : undefined;
}

/** Two ids may lead to one document, by a shortcut. */
function distinct(found: (Found | undefined)[]): Found[] {
  const documents = found.filter((each) => each !== undefined);
  return [...new Map(documents.map((document) => [document.id, document])).values()];
}

/** Reads a document. Returns undefined if it is gone since it was found. */
async function read(
  keyId: string,
  { id, item }: Found,
  deadline: Deadline,
  end: AbortSignal,
): Promise<FetchedDocument | undefined> {
  if (!item) return { id, title: id, url: linkTo(id), ...tooLate };
  try {
    const reading = documentText(keyId, toDriveFile(item), deadline);
    return { ...hitOf(item), ...(await inTime(reading, end, tooLate)) };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    const isLate = deadline.signal.aborted;
    if (!(isLate || isRefusal(error))) {
      log('warn', 'a document could not be read', { file: id, ...errorFields(error) });
    }
    return { ...hitOf(item), ...(isLate ? tooLate : { skipped: reasonOf(error) }) };
  }
}

const isRefusal = (error: unknown) => error instanceof ServiceError && error.statusCode < 500;

/** Returns what a promise resolves to, or `late` once the signal aborts. */
async function inTime<Value, Late>(
  promise: Promise<Value>,
  signal: AbortSignal,
  late: Late,
): Promise<Value | Late> {
  try {
    return await abortable(promise, signal);
  } catch (error) {
    if (signal.aborted) return late;
    throw error;
  }
}

import { getItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { findStoredFile, isVisible, noSuchFile, type StoredFile } from './file.ts';
import { isResultId } from './result-id.ts';

/** Finds a file of a key; undefined for another key's, and for one that is deleted, has expired or isn't whole yet. */
export async function findFile(keyId: string, id: string): Promise<StoredFile | undefined> {
  const file = isResultId(id) ? await findResult(keyId, id) : await findStoredFile(keyId, id);
  return file && isVisible(file) ? file : undefined;
}

/** The client of S3 is not loaded before a result is asked for. */
const findResult = async (keyId: string, id: string) =>
  (await import('./job-result.ts')).findResult(keyId, id);

/** Finds a file of a key. Throws the 404 that is the same for all that a key can't see. */
export async function requireFile(keyId: string, id: string): Promise<StoredFile> {
  const file = await findFile(keyId, id);
  if (!file) throw noSuchFile(id);
  return file;
}

/** Finds a file by its id among the files of several keys, a hundred keys a request. Throws the 404 for none. */
export async function fileOfAny(keyIds: readonly string[], entry: string): Promise<StoredFile> {
  const candidates = keyIds.map((key_id) => ({ key_id, entry }));
  for await (const file of getItems<StoredFile>(setting('FILES_TABLE'), candidates)) {
    if (isVisible(file)) return file;
  }
  throw noSuchFile(entry);
}

import { getItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { isVisible, noSuchFile, type StoredFile } from './file.ts';

/** Finds a file by its id alone, whosever of some keys it is: a hundred keys a request. Throws the 404 if it is nobody's. */
export async function fileOfAny(keyIds: readonly string[], entry: string): Promise<StoredFile> {
  const candidates = keyIds.map((key_id) => ({ key_id, entry }));
  for await (const file of getItems<StoredFile>(setting('FILES_TABLE'), candidates)) {
    if (isVisible(file)) return file;
  }
  throw noSuchFile(entry);
}

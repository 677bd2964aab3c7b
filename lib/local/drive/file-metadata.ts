import { badRequest, DriveError } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';

/** @see https://developers.google.com/workspace/drive/api/guides/properties */
const maxPropertyBytes = 124;

/** The metadata that a client may give of a file. */
export interface FileMetadata {
  id?: string;
  name?: string;
  mimeType?: string;
  parents?: string[];
  appProperties?: Record<string, string | null>;
  trashed?: boolean;
}

/** Returns the folder that a new file goes to. Throws Drive's error if there is no such folder. */
export function parentOf({ parents = [] }: FileMetadata, folder: DriveFolder): Entry {
  if (parents.length > 1) throw badRequest('A file must have exactly one parent.');
  return folderOf(parents[0] ?? 'root', folder);
}

/** Returns the folder of an id. Throws Drive's error if there is none, or if it is no folder. */
export function folderOf(id: string, folder: DriveFolder): Entry {
  const parent = folder.get(id);
  if (parent.kind === 'folder') return parent;
  throw new DriveError(403, 'parentNotAFolder', 'The specified parent is not a folder.');
}

/** Returns the properties after a change, in which null removes one. Throws Drive's 403 for one too long. */
export function mergeProperties(
  before: Record<string, string>,
  changes: Record<string, string | null> = {},
): Record<string, string> {
  const after = Object.entries({ ...before, ...changes }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  for (const [key, value] of after) {
    if (Buffer.byteLength(key) + Buffer.byteLength(value) <= maxPropertyBytes) continue;
    throw new DriveError(
      403,
      'propertyLengthLimitExceeded',
      'Properties and app properties are limited to 124 bytes in UTF-8 encoding, ' +
        'counting both the key and the value.',
    );
  }
  return Object.fromEntries(after);
}

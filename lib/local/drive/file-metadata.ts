import { badRequest, DriveError } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { isFileId } from './drive-index.ts';
import { FOLDER_TYPE, formatOfType, isGoogleType } from './google-files.ts';

const propertyLimitBytes = 124;

/** What a client may say of a file. */
export interface FileMetadata {
  id?: string;
  name?: string;
  mimeType?: string;
  parents?: string[];
  appProperties?: Record<string, string | null>;
  trashed?: boolean;
}

/** The folder a new file goes to; throws what Drive does for one it can't. */
export function parentOf({ parents = [] }: FileMetadata, folder: DriveFolder): Entry {
  if (parents.length > 1) throw badRequest('A file must have exactly one parent.');
  return folderOf(parents[0] ?? 'root', folder);
}

export function folderOf(id: string, folder: DriveFolder): Entry {
  const parent = folder.get(id);
  if (parent.kind === 'folder') return parent;
  throw new DriveError(403, 'parentNotAFolder', 'The specified parent is not a folder.');
}

/** Throws where a file of this type can't have the id it is to have. */
export function refuseId(id: string, mimeType: string): void {
  if (formatOfType(mimeType)) {
    const reason = 'Generated IDs are not supported for Docs Editors formats.';
    throw new DriveError(403, 'insufficientFilePermissions', reason);
  }
  if (!isFileId(id)) {
    throw new DriveError(400, 'invalid', 'The provided file ID is not usable.');
  }
}

/** Throws for a type of Google's that has no place on a disk. */
export function refuseType(mimeType: string): void {
  if (!isGoogleType(mimeType) || mimeType === FOLDER_TYPE || formatOfType(mimeType)) return;
  throw badRequest(`A Drive on disk can't make a file of type ${mimeType}.`);
}

/** The properties after a change: null takes one away. */
export function mergeProperties(
  before: Record<string, string>,
  changes: Record<string, string | null> = {},
): Record<string, string> {
  const after = Object.entries({ ...before, ...changes }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  for (const [key, value] of after) {
    if (Buffer.byteLength(key) + Buffer.byteLength(value) <= propertyLimitBytes) continue;
    throw new DriveError(
      403,
      'propertyLengthLimitExceeded',
      'Properties and app properties are limited to 124 bytes in UTF-8 encoding, ' +
        'counting both the key and the value.',
    );
  }
  return Object.fromEntries(after);
}

import { type Access, accessUnder } from './access.ts';
import { fileNotFound, refused } from './errors.ts';
import { folderType, getItem, type Item, shortcutType } from './item.ts';

/** A file whose content a key may read; never a folder, never a shortcut. */
export interface DriveFile {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  /** The shared drive it lies in. */
  driveId?: string;
  /** Bytes; absent for Google's own kinds, whose exports' sizes nobody knows beforehand. */
  size?: number;
  /** Changes when the content does: a checksum, or the time of a Google document's last edit. */
  contentId: string;
  /** What only Quire sees on the file. */
  appProperties: Record<string, string>;
}

/** Shortcuts to shortcuts can't be made by hand; this many are followed. */
const mostHops = 3;

/**
 * Finds a file, or the one a shortcut stands for, that lies under the allowed folders or shared
 * drives. Throws the same `NotFoundError` for all that doesn't, 422 for a folder that does.
 */
export async function findReadableFile(
  fileId: string,
  allowedFolders: readonly string[],
): Promise<DriveFile> {
  const item = await getReadableItem(fileId, accessUnder(allowedFolders));
  if (item.mimeType !== folderType) return toDriveFile(item);
  throw refused(422, 'unsupported_file_type', 'This is a folder: name it in folder_id.');
}

/**
 * The first folder of a readable file through which it may be read: old files lie in several, and the
 * others are nobody's business. None where only the file itself is allowed.
 */
export async function readableParentOf(
  { id, parents, driveId }: DriveFile,
  allowedFolders: readonly string[],
): Promise<string | undefined> {
  const [only] = parents;
  if (parents.length === 1 && !allowedFolders.includes(id)) return only;
  const isReadable = accessUnder(allowedFolders);
  for (const parent of parents) {
    if (await isReadable({ id: parent, parents: [parent], driveId })) return parent;
  }
  return undefined;
}

/** Finds a folder as `findReadableFile` does a file; what isn't a folder is not found. */
export async function requireReadableFolder(
  folderId: string,
  allowedFolders: readonly string[],
): Promise<{ id: string; name: string }> {
  const { id, name } = await getReadableFolder(folderId, accessUnder(allowedFolders));
  return { id, name };
}

/** The same for who goes on with the folder. */
export async function getReadableFolder(folderId: string, isReadable: Access): Promise<Item> {
  const item = await getReadableItem(folderId, isReadable);
  if (item.mimeType !== folderType) throw fileNotFound();
  return item;
}

/** Follows shortcuts to what they stand for: where that lies is what counts. */
export async function getReadableItem(fileId: string, isReadable: Access): Promise<Item> {
  let item = await getItem(fileId);
  for (let hop = 0; item.mimeType === shortcutType; hop++) {
    if (!item.shortcutDetails || hop === mostHops) throw fileNotFound();
    item = await getItem(item.shortcutDetails.targetId);
  }
  if (!(await isReadable(item))) throw fileNotFound();
  return item;
}

/** An item that is known to be a file, as the rest of Quire sees it. */
export function toDriveFile(item: Item): DriveFile {
  const { id, name, mimeType, parents, driveId, size, md5Checksum, modifiedTime, appProperties } =
    item;
  return {
    id,
    name,
    mimeType,
    parents,
    ...(driveId && { driveId }),
    ...(size !== undefined && md5Checksum && { size }),
    contentId: md5Checksum ?? modifiedTime,
    appProperties,
  };
}

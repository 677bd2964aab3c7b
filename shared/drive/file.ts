import { fileNotFound, refused } from './errors.ts';
import {
  type Access,
  accessUnder,
  folderType,
  getDriveItem,
  type Item,
  shortcutType,
} from './item.ts';

/** A file whose content a key may read. It is never a folder or a shortcut. */
export interface DriveFile {
  id: string;
  name: string;
  mimeType: string;
  parents: string[];
  /** The shared drive that it lies in; absent if it lies in a My Drive. */
  driveId?: string;
  /** The size in bytes; absent for Google documents: an export's isn't known beforehand. */
  size?: number;
  /** Changes with the content: its MD5, or the time of the last edit of a Google document. */
  contentId: string;
  appProperties: Record<string, string>;
}

/**
 * How many shortcuts are followed one after another. Drive's own pages make none to another shortcut.
 * @see https://developers.google.com/workspace/drive/api/guides/shortcuts
 */
const maxShortcuts = 3;

/** Finds an allowed file, or a shortcut's target. Throws the same `NotFoundError` for all others, and a 422 for a folder. */
export async function findReadableFile(
  fileId: string,
  allowedFolders: readonly string[],
): Promise<DriveFile> {
  const item = await getReadableItem(fileId, accessUnder(allowedFolders));
  if (item.mimeType !== folderType) return toDriveFile(item);
  throw refused(422, 'unsupported_file_type', 'This is a folder: name it in folder_id.');
}

/**
 * Finds the folder through which a file may be read; undefined if only the file is allowed. Its other folders stay
 * hidden.
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

/** Finds a folder under the allowed ones, as `findReadableFile` finds a file. Throws `NotFoundError` for a file. */
export async function requireReadableFolder(
  folderId: string,
  allowedFolders: readonly string[],
): Promise<{ id: string; name: string }> {
  const { id, name } = await getReadableFolder(folderId, accessUnder(allowedFolders));
  return { id, name };
}

/** Finds a readable folder by an access rule. Throws `NotFoundError` for anything else. */
export async function getReadableFolder(folderId: string, isReadable: Access): Promise<Item> {
  const item = await getReadableItem(folderId, isReadable);
  if (item.mimeType !== folderType) throw fileNotFound();
  return item;
}

/** Finds a readable item. A shortcut's target decides whether it may be read. Throws `NotFoundError` otherwise. */
export async function getReadableItem(fileId: string, isReadable: Access): Promise<Item> {
  let item = await getDriveItem(fileId);
  for (let hop = 0; item.mimeType === shortcutType; hop++) {
    if (!item.shortcutDetails || hop === maxShortcuts) throw fileNotFound();
    item = await getDriveItem(item.shortcutDetails.targetId);
  }
  if (!(await isReadable(item))) throw fileNotFound();
  return item;
}

/** Makes a `DriveFile` of an item that is a file. */
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

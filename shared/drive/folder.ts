import pLimit from 'p-limit';
import { unlessHidden } from './errors.ts';
import { type DriveFile, getReadableFolder, getReadableItem, toDriveFile } from './file.ts';
import { type Access, accessUnder, folderType, type Item, shortcutType } from './item.ts';
import { listFiles, listUpTo } from './list-files.ts';

/** One page of a folder. */
export interface FolderPage {
  files: DriveFile[];
  /** The shortcuts whose targets the key may not read, with their own names. They are not among `files`. */
  unreadable: { id: string; name: string }[];
  /** The folders that lie in it, without shortcuts to folders: told with the first page. */
  folders: { id: string; name: string }[];
  nextPageToken?: string;
}

const pageSize = 100;
/** How many shortcuts of a page are looked up at once. */
const lookupsAtOnce = 8;

/**
 * Lists a readable folder's files, up to 100 a page, and its folders. A shortcut to an allowed file is listed as
 * that. Throws `NotFoundError` for a folder that the key may not read.
 * @see https://developers.google.com/workspace/drive/api/guides/search-files
 */
export async function listFolder(
  folderId: string,
  allowedFolders: readonly string[],
  pageToken?: string,
): Promise<FolderPage> {
  const isReadable = accessUnder(allowedFolders);
  const { id, driveId } = await getReadableFolder(folderId, isReadable);
  // The id needs no escaping: an item's id holds nothing but letters, digits, `_` and `-`.
  const within = `'${id}' in parents`;
  const [{ files, nextPageToken }, folders] = await Promise.all([
    listFiles(pageSize, `${within} and mimeType != '${folderType}'`, { driveId, pageToken }),
    pageToken
      ? []
      : listUpTo(maxSubfolders, `${within} and mimeType = '${folderType}'`, { driveId }),
  ]);

  const found = await findTargets(files.filter(isFileOrShortcutToOne), isReadable);
  const unreadable = found.flatMap(({ item, target }) => (target ? [] : [pick(item)]));
  // A file may lie beside a shortcut to it.
  const targets = new Map(found.flatMap(({ target }) => (target ? [[target.id, target]] : [])));
  return {
    files: [...targets.values()].map(toDriveFile),
    unreadable,
    folders: folders.map(pick),
    ...(nextPageToken && { nextPageToken }),
  };
}

/** A folder tells of no more folders in it. */
const maxSubfolders = 1_000;

const pick = ({ id, name }: Item) => ({ id, name });

const isFileOrShortcutToOne = ({ mimeType, shortcutDetails }: Item) =>
  (shortcutDetails?.targetMimeType ?? mimeType) !== folderType;

/** Finds the file that each item stands for; undefined for a shortcut to a folder or to what the key may not read. */
async function findTargets(items: Item[], isReadable: Access) {
  return pLimit(lookupsAtOnce).map(items, async (item) => {
    if (item.mimeType !== shortcutType) return { item, target: item };
    const target = await findTarget(item, isReadable);
    return { item, target: target?.mimeType === folderType ? undefined : target };
  });
}

const findTarget = async ({ shortcutDetails }: Item, isReadable: Access) =>
  shortcutDetails && unlessHidden(getReadableItem(shortcutDetails.targetId, isReadable));

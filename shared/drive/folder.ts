import pLimit from 'p-limit';
import * as v from 'valibot';
import { type Access, accessUnder } from './access.ts';
import { callDrive } from './call.ts';
import { requestTimeoutMs } from './client.ts';
import { isHidden } from './errors.ts';
import { type DriveFile, getReadableFolder, getReadableItem, toDriveFile } from './file.ts';
import { folderType, Item, itemFields, parseResponse, shortcutType } from './item.ts';

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

const Page = v.object({ files: v.array(Item), nextPageToken: v.optional(v.string()) });

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
  const folder = await getReadableFolder(folderId, isReadable);
  const [{ files, nextPageToken }, folders] = await Promise.all([
    listPage(folder, `mimeType != '${folderType}'`, pageToken),
    pageToken ? [] : listSubfolders(folder),
  ]);

  const found = await findTargets(files.filter(isFileOrShortcutToOne), isReadable);
  const unreadable = found.flatMap(({ item, target }) => (target ? [] : [pick(item)]));
  // A file may lie beside a shortcut to it.
  const targets = new Map(found.flatMap(({ target }) => (target ? [[target.id, target]] : [])));
  return {
    files: [...targets.values()].map(toDriveFile),
    unreadable,
    folders,
    ...(nextPageToken && { nextPageToken }),
  };
}

async function listSubfolders(folder: Item): Promise<FolderPage['folders']> {
  const found: FolderPage['folders'] = [];
  let pageToken: string | undefined;
  do {
    const page = await listPage(folder, `mimeType = '${folderType}'`, pageToken);
    found.push(...page.files.map(pick));
    pageToken = page.nextPageToken;
  } while (pageToken && found.length < maxSubfolders);
  return found;
}

/** A folder tells of no more folders in it. */
const maxSubfolders = 1_000;

const pick = ({ id, name }: Item) => ({ id, name });

const isFileOrShortcutToOne = ({ mimeType, shortcutDetails }: Item) =>
  (shortcutDetails?.targetMimeType ?? mimeType) !== folderType;

async function listPage({ id, driveId }: Item, which: string, pageToken = '') {
  const { data } = await callDrive(({ files }) =>
    files.list(
      {
        // The id needs no escaping: an item's id holds nothing but letters, digits, `_` and `-`.
        q: `'${id}' in parents and trashed = false and ${which}`,
        fields: `nextPageToken,files(${itemFields})`,
        pageSize,
        ...(pageToken && { pageToken }),
        ...(driveId && { corpora: 'drive', driveId }),
        supportsAllDrives: true,
        includeItemsFromAllDrives: true,
      },
      { timeout: requestTimeoutMs },
    ),
  );
  return parseResponse(Page, data);
}

/** Finds the file that each item stands for; undefined for a shortcut to a folder or to what the key may not read. */
async function findTargets(items: Item[], isReadable: Access) {
  return pLimit(lookupsAtOnce).map(items, async (item) => {
    if (item.mimeType !== shortcutType) return { item, target: item };
    const target = await findTarget(item, isReadable);
    return { item, target: target?.mimeType === folderType ? undefined : target };
  });
}

async function findTarget({ shortcutDetails }: Item, isReadable: Access) {
  try {
    return shortcutDetails && (await getReadableItem(shortcutDetails.targetId, isReadable));
  } catch (error) {
    if (isHidden(error)) return undefined;
    throw error;
  }
}

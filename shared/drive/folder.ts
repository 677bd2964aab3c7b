import pLimit from 'p-limit';
import * as v from 'valibot';
import { type Access, accessUnder } from './access.ts';
import { callDrive } from './call.ts';
import { requestTimeoutMs } from './client.ts';
import { isHidden } from './errors.ts';
import { type DriveFile, getReadableFolder, getReadableItem, toDriveFile } from './file.ts';
import { checked, folderType, Item, itemFields, shortcutType } from './item.ts';

/** One page of a folder. */
export interface FolderPage {
  files: DriveFile[];
  /** Shortcuts whose files the key may not read, by their own names: a run can say what it left out. */
  unreadable: { id: string; name: string }[];
  nextPageToken?: string;
}

const pageSize = 100;
/** Shortcuts of a page that are looked up at a time. */
const lookupsAtOnce = 8;

const Page = v.object({ files: v.array(Item), nextPageToken: v.optional(v.string()) });

/**
 * Lists the files of a readable folder, a page at a time, without its folders. A shortcut stands for
 * its file, if that lies under the allowed folders too.
 */
export async function listFolder(
  folderId: string,
  allowedFolders: readonly string[],
  pageToken?: string,
): Promise<FolderPage> {
  const isReadable = accessUnder(allowedFolders);
  const folder = await getReadableFolder(folderId, isReadable);
  const { files, nextPageToken } = await listPage(folder, pageToken);

  const found = await findTargets(files.filter(isFileOrShortcutToOne), isReadable);
  const unreadable = found.flatMap(({ item, target }) => (target ? [] : [pick(item)]));
  // A file may lie beside a shortcut to it.
  const targets = new Map(found.flatMap(({ target }) => (target ? [[target.id, target]] : [])));
  return {
    files: [...targets.values()].map(toDriveFile),
    unreadable,
    ...(nextPageToken && { nextPageToken }),
  };
}

const pick = ({ id, name }: Item) => ({ id, name });

const isFileOrShortcutToOne = ({ mimeType, shortcutDetails }: Item) =>
  (shortcutDetails?.targetMimeType ?? mimeType) !== folderType;

async function listPage({ id, driveId }: Item, pageToken = '') {
  const { data } = await callDrive(({ files }) =>
    files.list(
      {
        // `getReadableFolder` answers only with ids that hold nothing to escape.
        q: `'${id}' in parents and trashed = false and mimeType != '${folderType}'`,
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
  return checked(Page, data);
}

/** Each item's file; none for a shortcut to what the key may not read. */
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

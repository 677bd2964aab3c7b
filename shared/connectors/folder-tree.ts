import pLimit from 'p-limit';
import { unlessHidden } from '../drive/errors.ts';
import { folderType, getDriveItem, type Item, shortcutType } from '../drive/item.ts';
import { log } from '../log.ts';
import { remembered } from '../remembered.ts';
import { batchesOf, listIn, type SearchedFolder } from './drive-listing.ts';

const maxFolders = 500;
const maxDepth = 20;
const requestsAtOnce = 8;
const maxTrees = 100;
const trees = remembered<SearchedFolder[]>(5 * 60_000, maxTrees);

/**
 * Returns a key's folders and shared drives with all folders below, up to 20 deep and 500 in all, the nearest first;
 * of an allowed file its folder. Remembered for 5 minutes. Throws what `callDrive` throws.
 */
export const foldersUnder = (
  allowedFolders: readonly string[],
  signal: AbortSignal,
): Promise<SearchedFolder[]> =>
  trees.get(keyOf(allowedFolders), () => readTree(allowedFolders, signal));

/** Forgets a tree that turned out to be old. */
export const forgetFolders = (allowedFolders: readonly string[]): void =>
  trees.forget(keyOf(allowedFolders));

const keyOf = (allowedFolders: readonly string[]) => [...new Set(allowedFolders)].sort().join();

async function readTree(
  allowedFolders: readonly string[],
  signal: AbortSignal,
): Promise<SearchedFolder[]> {
  const limit = pLimit(requestsAtOnce);
  const roots = await limit.map([...new Set(allowedFolders)], findRoot);
  const found = new Map<string, SearchedFolder>();
  let level = addNew(
    found,
    roots.flatMap((root) => root?.below ?? []),
  );
  const besideFiles = roots.flatMap((root) => root?.beside ?? []);
  for (let depth = 1; level.length > 0 && found.size < maxFolders && depth < maxDepth; depth++) {
    const condition = `mimeType = '${folderType}'`;
    const lists = await limit.map(batchesOf(level), (batch) =>
      listIn(batch, condition, maxFolders, signal),
    );
    level = addNew(found, lists.flat().map(searched));
  }
  addNew(found, besideFiles);
  if (found.size >= maxFolders) log('warn', 'a key has more Drive folders than are searched');
  return [...found.values()];
}

/** What an allowed id adds to the tree: a folder with all below it, or the folders that a file lies in. */
interface Root {
  below?: SearchedFolder[];
  beside?: SearchedFolder[];
}

async function findRoot(id: string): Promise<Root | undefined> {
  const item = await unlessHidden(getDriveItem(id));
  if (item?.mimeType === folderType) return { below: [searched(item)] };
  // A shortcut gives no access, wherever it leads.
  if (!item || item.mimeType === shortcutType) return undefined;
  const { parents, driveId } = item;
  return { beside: parents.map((parent) => ({ id: parent, ...(driveId && { driveId }) })) };
}

const searched = ({ id, driveId }: Item): SearchedFolder => ({ id, ...(driveId && { driveId }) });

function addNew(found: Map<string, SearchedFolder>, folders: SearchedFolder[]): SearchedFolder[] {
  const added: SearchedFolder[] = [];
  for (const folder of folders) {
    if (found.has(folder.id) || found.size >= maxFolders) continue;
    found.set(folder.id, folder);
    added.push(folder);
  }
  return added;
}

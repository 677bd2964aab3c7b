import type { Item } from '../drive/item.ts';
import { listUpTo } from '../drive/list-files.ts';

/** A folder in which files are looked for. */
export interface SearchedFolder {
  id: string;
  /** The shared drive that it lies in; absent if it lies in a My Drive. */
  driveId?: string;
}

/** The most folders in one request: about 4 KB of its URL. */
const foldersPerRequest = 50;

/** Parts folders into those that one request may name: a few, all of one shared drive or of none. */
export function batchesOf(folders: readonly SearchedFolder[]): SearchedFolder[][] {
  return [...Map.groupBy(folders, ({ driveId }) => driveId).values()].flatMap((ofDrive) =>
    Array.from({ length: Math.ceil(ofDrive.length / foldersPerRequest) }, (_, n) =>
      ofDrive.slice(n * foldersPerRequest, (n + 1) * foldersPerRequest),
    ),
  );
}

/**
 * Lists a batch of folders' files that meet a condition of Drive's query language, up to `maxItems`. Throws
 * `NotFoundError` if a folder is gone, and what `callDrive` throws.
 */
export async function listIn(
  batch: readonly SearchedFolder[],
  condition: string,
  maxItems: number,
  signal: AbortSignal,
): Promise<Item[]> {
  // The ids need no escaping: an item's id holds nothing but letters, digits, `_` and `-`.
  const parents = batch.map(({ id }) => `'${id}' in parents`).join(' or ');
  const driveId = batch[0]?.driveId;
  return listUpTo(maxItems, `${condition} and (${parents})`, { driveId, signal });
}

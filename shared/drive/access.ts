import { type Item, parentsOf } from './item.ts';

/** Shared drives nest up to 100 folders; a My Drive that nests more is not walked to its end. */
const deepest = 100;

/** Whether an item, or a folder that holds it, is one of those allowed. */
export type Access = (item: Pick<Item, 'id' | 'parents' | 'driveId'>) => Promise<boolean>;

/** Judges items by a key's allowed folders and shared drives; asks Drive for each folder once. */
export function accessUnder(allowedFolders: readonly string[]): Access {
  const allowed = new Set(allowedFolders);
  const known = new Map<string, Promise<string[]>>();
  const knownParents = (folderId: string) => {
    const parents = known.get(folderId) ?? parentsOf(folderId);
    known.set(folderId, parents);
    return parents;
  };

  return async ({ id, parents, driveId }) => {
    if (allowed.has(id) || (driveId && allowed.has(driveId))) return true;
    const seen = new Set<string>();
    // Old files may lie in several folders: all of a level's at once.
    let level = parents;
    for (let depth = 0; level.length > 0 && depth < deepest; depth++) {
      if (level.some((folderId) => allowed.has(folderId))) return true;
      for (const folderId of level) seen.add(folderId);
      const above = (await Promise.all(level.map(knownParents))).flat();
      level = [...new Set(above)].filter((folderId) => !seen.has(folderId));
    }
    return false;
  };
}

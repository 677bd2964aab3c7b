import { type Item, parentsOf } from './item.ts';

/** How many levels of folders above an item are looked at, as many as a shared drive has. @see https://support.google.com/a/users/answer/7338880 */
const maxDepth = 100;

/** Returns whether an item is allowed: itself, a folder above it, or its shared drive. */
export type Access = (item: Pick<Item, 'id' | 'parents' | 'driveId'>) => Promise<boolean>;

/** Makes the access rule of a key's allowed folders, files and shared drives. It remembers folders that it looked up. */
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
    // A file made before 2020's end may lie in several folders, so a level may have several.
    // https://developers.google.com/workspace/drive/api/guides/ref-single-parent
    let level = parents;
    for (let depth = 0; level.length > 0 && depth < maxDepth; depth++) {
      if (level.some((folderId) => allowed.has(folderId))) return true;
      for (const folderId of level) seen.add(folderId);
      const above = (await Promise.all(level.map(knownParents))).flat();
      level = [...new Set(above)].filter((folderId) => !seen.has(folderId));
    }
    return false;
  };
}

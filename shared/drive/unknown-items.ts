import { isHidden } from './errors.ts';
import { getDriveItem } from './item.ts';

/** Returns the folders, files and shared drives among the given ones that the service account can't find. */
export async function unknownItems(ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map(exists));
  return ids.filter((_, index) => !found[index]);
}

async function exists(id: string): Promise<boolean> {
  try {
    await getDriveItem(id);
    return true;
  } catch (error) {
    if (isHidden(error)) return false;
    throw error;
  }
}

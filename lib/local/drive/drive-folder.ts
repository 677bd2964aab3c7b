import { type BigIntStats, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileNotFound } from './drive-error.ts';
import { type DriveIndex, type IndexRow, joinPath } from './drive-index.ts';

/** The id of the folder that is the whole Drive. */
export const rootFolderId = 'local-drive';

/** A file, folder or shortcut of the Drive, as it is on disk now. */
export interface Entry {
  id: string;
  /** Relative to the Drive's folder; '' is the Drive itself. */
  path: string;
  kind: 'file' | 'folder' | 'shortcut';
  /** Undefined for the Drive itself. */
  parentId: string | undefined;
  stat: BigIntStats;
  row: IndexRow;
}

/** A folder on disk as a Drive, without hidden files. A symbolic link is a shortcut, and its target must lie in the folder too. */
export class DriveFolder {
  readonly index: DriveIndex;
  private readonly root: string;

  constructor(folder: string, index: DriveIndex) {
    this.root = realpathSync(folder);
    this.index = index;
  }

  /** Returns an entry's absolute path on disk. */
  locate(path: string): string {
    return join(this.root, path);
  }

  /** Returns the entry of an id. Throws Drive's 404 if there is none. */
  get(id: string): Entry {
    const entry = this.find(id);
    if (!entry) throw fileNotFound(id);
    return entry;
  }

  /** Returns the entry of an id; undefined if there is none. */
  find(id: string): Entry | undefined {
    if (id === rootFolderId || id === 'root') return this.rootEntry();
    const row = this.index.byId(id);
    // The folder may have been replaced by a link: then its files are no longer part of the Drive.
    if (!row || !this.isPlain(row.parent)) return undefined;
    return this.entryOf(row, this.idOf(row.parent));
  }

  /** Returns the entries of a folder, but not of its subfolders. */
  children({ id, path }: Entry): Entry[] {
    const names = namesIn(this.locate(path)).filter((name) => !name.startsWith('.'));
    return this.index.inFolder(path, names).flatMap((row) => this.entryOf(row, id) ?? []);
  }

  *everything(folder = this.rootEntry()): Generator<Entry> {
    for (const child of this.children(folder)) {
      yield child;
      if (child.kind === 'folder') yield* this.everything(child);
    }
  }

  /** Returns what a shortcut points to; undefined if that is not in the Drive. */
  target({ path }: Entry): Entry | undefined {
    let real: string;
    try {
      real = realpathSync(this.locate(path));
    } catch {
      return undefined;
    }
    if (real === this.root) return this.rootEntry();
    const inside = relative(this.root, real).split(sep);
    if (inside.some((name) => name.startsWith('.'))) return undefined;
    return this.find(this.idOf(inside.join('/')));
  }

  private idOf(path: string): string {
    if (path === '') return rootFolderId;
    const parent = dirname(path);
    return this.index.byPath(parent === '.' ? '' : parent, path.slice(path.lastIndexOf('/') + 1))
      .id;
  }

  private rootEntry(): Entry {
    const row: IndexRow = {
      id: rootFolderId,
      parent: '',
      disk_name: '',
      name: 'My Drive',
      mime_type: null,
      app_properties: '{}',
      md5: null,
      md5_of: null,
    };
    const stat = lstatSync(this.root, { bigint: true });
    return { id: rootFolderId, path: '', kind: 'folder', parentId: undefined, stat, row };
  }

  /** Whether a folder is there and no link leads to it. */
  private isPlain(folder: string): boolean {
    try {
      return realpathSync(this.locate(folder)) === this.locate(folder);
    } catch {
      return false;
    }
  }

  private entryOf(row: IndexRow, parentId: string): Entry | undefined {
    const path = joinPath(row.parent, row.disk_name);
    const stat = lstatSync(this.locate(path), { bigint: true, throwIfNoEntry: false });
    const kind = stat && kindOf(stat);
    return kind && { id: row.id, path, kind, parentId, stat, row };
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // The folder was removed after it was found.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns undefined for sockets, pipes and devices, which are not part of the Drive. */
function kindOf(stat: BigIntStats): Entry['kind'] | undefined {
  if (stat.isSymbolicLink()) return 'shortcut';
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : undefined;
}

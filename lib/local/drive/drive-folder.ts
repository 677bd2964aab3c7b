import { type BigIntStats, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileNotFound } from './drive-error.ts';
import { type DriveIndex, type IndexRow, joinPath } from './drive-index.ts';

/** The id of the folder that is the whole Drive. */
export const ROOT_FOLDER_ID = 'local-drive';

/** A file, folder or shortcut as it is on disk now. */
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

/** A folder on disk as a Drive: nothing outside it and nothing hidden exists, and links aren't followed. */
export class DriveFolder {
  readonly index: DriveIndex;
  private readonly root: string;

  constructor(folder: string, index: DriveIndex) {
    this.root = realpathSync(folder);
    this.index = index;
  }

  /** Where an entry is on disk. */
  locate(path: string): string {
    return join(this.root, path);
  }

  /** The entry of this id; throws Drive's 404. */
  get(id: string): Entry {
    const entry = this.find(id);
    if (!entry) throw fileNotFound(id);
    return entry;
  }

  find(id: string): Entry | undefined {
    if (id === ROOT_FOLDER_ID || id === 'root') return this.rootEntry();
    const row = this.index.byId(id);
    // A folder may have become a link since: then what was in it is there no more.
    if (!row || !this.isPlain(row.parent)) return undefined;
    return this.entryOf(row, this.idOf(row.parent));
  }

  /** What a folder holds. */
  children({ id, path }: Entry): Entry[] {
    const names = namesIn(this.locate(path)).filter((name) => !name.startsWith('.'));
    return this.index.inFolder(path, names).flatMap((row) => this.entryOf(row, id) ?? []);
  }

  /** Everything in the Drive but itself. */
  *everything(folder = this.rootEntry()): Generator<Entry> {
    for (const child of this.children(folder)) {
      yield child;
      if (child.kind === 'folder') yield* this.everything(child);
    }
  }

  /** What a shortcut points to, if that is in the Drive. */
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
    if (path === '') return ROOT_FOLDER_ID;
    const parent = dirname(path);
    return this.index.byPath(parent === '.' ? '' : parent, path.slice(path.lastIndexOf('/') + 1))
      .id;
  }

  private rootEntry(): Entry {
    const row: IndexRow = {
      id: ROOT_FOLDER_ID,
      parent: '',
      disk_name: '',
      name: 'My Drive',
      mime_type: null,
      app_properties: '{}',
      changed_at: 0,
      md5: null,
      md5_of: null,
    };
    const stat = lstatSync(this.root, { bigint: true });
    return { id: ROOT_FOLDER_ID, path: '', kind: 'folder', parentId: undefined, stat, row };
  }

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
    // It has gone since it was found.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

// Sockets, pipes and devices are none of Drive's.
function kindOf(stat: BigIntStats): Entry['kind'] | undefined {
  if (stat.isSymbolicLink()) return 'shortcut';
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : undefined;
}

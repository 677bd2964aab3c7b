import { type BigIntStats, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the web, as it is on disk now. */
export interface WebFile {
  /** Relative to the web's folder, with slashes. */
  path: string;
  /** Absolute. */
  diskPath: string;
  sizeBytes: number;
  /** Differs whenever the file has changed. */
  version: string;
}

/** A folder on disk as a web, without hidden files and symbolic links, so that no page lies outside of it. */
export class WebFolder {
  private readonly root: string;

  constructor(folder: string) {
    this.root = realpathSync(folder);
  }

  /** Returns the file at a path that a stranger may have chosen; undefined if there is none. */
  find(path: string): WebFile | undefined {
    if (path.split('/').some((name) => name === '' || name.startsWith('.'))) return undefined;
    const diskPath = join(this.root, path);
    try {
      return realpathSync(diskPath) === diskPath ? fileAt(path, diskPath) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Yields every file, also of subfolders. */
  *files(folder = ''): Generator<WebFile> {
    for (const entry of entriesOf(join(this.root, folder))) {
      if (entry.name.startsWith('.')) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.files(path);
      const file = entry.isFile() && fileAt(path, join(this.root, path));
      if (file) yield file;
    }
  }
}

/** Returns undefined for anything but a file, or if it is gone. */
function fileAt(path: string, diskPath: string): WebFile | undefined {
  const stat = lstatSync(diskPath, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  return { path, diskPath, sizeBytes: Number(stat.size), version: versionOf(stat) };
}

const versionOf = ({ size, mtimeNs, ctimeNs }: BigIntStats) => `${size} ${mtimeNs} ${ctimeNs}`;

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // The folder was removed after it was found.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

import { globSync, lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the web, as it is on disk now. */
export interface WebFile {
  /** Relative to the web's folder, with slashes. */
  path: string;
  /** Absolute. */
  diskPath: string;
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
      if (realpathSync(diskPath) !== diskPath) return undefined;
      const stat = lstatSync(diskPath, { bigint: true });
      const version = `${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
      return stat.isFile() ? { path, diskPath, version } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns every file, also of subfolders. */
  files(): WebFile[] {
    return globSync('**', { cwd: this.root }).flatMap((path) => this.find(path) ?? []);
  }
}

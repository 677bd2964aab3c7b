import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** A change is reported once nothing has changed for so long: a save may write several files. */
const quietMs = 100;

/** What a watcher watches, and from when on. */
export interface WatchedSources {
  root: string;
  /** Folders in `root`. */
  folders: string[];
  /** Files that have changed since then are reported as well, in milliseconds since 1970. */
  since: number;
}

/**
 * Reports changed files below some folders, relative to `root`; later changes come with the next report. Each folder
 * has a watcher, as Linux's `recursive` one loses files that are replaced by renaming.
 * @see https://nodejs.org/api/fs.html#inodes
 */
export class SourceWatcher {
  private readonly root: string;
  private readonly report: (paths: string[]) => Promise<void>;
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private reporting = false;

  constructor(
    { root, folders, since }: WatchedSources,
    report: (paths: string[]) => Promise<void>,
  ) {
    this.root = root;
    this.report = report;
    for (const folder of folders) this.watchFolder(folder, since);
  }

  close(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers.values()) watcher.close();
  }

  /** Watches a folder, and reports its files that have changed since a time: all of them if it is new. */
  private watchFolder(folder: string, since = 0): void {
    this.watchers.get(folder)?.close();
    const watcher = watch(join(this.root, folder), (_, name) => {
      if (name) this.note(join(folder, name));
    });
    // A folder that is removed needs no watcher any more.
    watcher.on('error', () => watcher.close());
    this.watchers.set(folder, watcher);
    for (const name of readdirSync(join(this.root, folder))) {
      const path = join(folder, name);
      const stat = this.statOf(path);
      // Not the `mtime` of a file, which an editor or a copy may keep.
      const hasChanged = stat && stat.ctimeMs >= since;
      // A folder that was moved here keeps its `mtime`, and its files their times.
      const isMoved = hasChanged && stat.mtimeMs < since;
      if (stat?.isDirectory()) this.watchFolder(path, isMoved ? 0 : since);
      else if (hasChanged) this.note(path);
    }
  }

  /** Follows no link: it may lead back to where it lies. */
  private statOf(path: string) {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false });
  }

  private note(path: string): void {
    if (this.statOf(path)?.isDirectory()) this.watchFolder(path);
    this.changed.add(path);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.reportChanges(), quietMs);
  }

  private async reportChanges(): Promise<void> {
    if (this.reporting) return;
    this.reporting = true;
    while (this.changed.size > 0) {
      const paths = [...this.changed];
      this.changed.clear();
      await this.report(paths);
    }
    this.reporting = false;
  }
}

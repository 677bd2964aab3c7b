import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const prefix = '.quire-upload-';

/** The error codes of file systems without hard links. */
const codesWithoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** The Drive's hidden files of unfinished uploads, on the same disk, so that moving one to its place is a single step. */
export class UploadFolder {
  private readonly folder: string;

  /** Removes what an earlier server has left. */
  constructor(folder: string) {
    this.folder = folder;
    this.discardAll();
  }

  newPath(): string {
    return join(this.folder, `${prefix}${randomBytes(12).toString('hex')}`);
  }

  discardAll(): void {
    for (const name of readdirSync(this.folder)) {
      if (name.startsWith(prefix)) rmSync(join(this.folder, name));
    }
  }
}

/** Gives a file another path; it may keep the first one. Returns false if the other is taken. */
export function moveToFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!codesWithoutLinks.includes(code) && code !== 'EEXIST') throw error;
    // A link takes a name even if it points to nothing.
    if (code === 'EEXIST' || lstatSync(to, { throwIfNoEntry: false })) return false;
    renameSync(from, to);
  }
  return true;
}

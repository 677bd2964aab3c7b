import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** An upload's content in a hidden file, and the type that the client gave it. */
export interface UploadedContent {
  path: string;
  mimeType: string | undefined;
}

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

/** Moves a file to a free path. Throws EEXIST if the path has been taken meanwhile. */
export async function moveToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!codesWithoutLinks.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await rename(from, to);
  }
  await rm(from, { force: true });
}

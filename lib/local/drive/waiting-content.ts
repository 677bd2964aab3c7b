import { randomBytes } from 'node:crypto';
import { createWriteStream, readdirSync, rmSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Content that has come whole, waiting in a hidden file. */
export interface Content {
  path: string;
  mimeType: string | undefined;
}

const prefix = '.quire-upload-';

// The codes of disks that have no hard links.
const linkless = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Where uploads wait until they are whole: hidden files on the Drive's own disk, so that they can be moved in at once. */
export class WaitingContent {
  private readonly folder: string;

  /** Removes what an earlier server left. */
  constructor(folder: string) {
    this.folder = folder;
    this.discardAll();
  }

  newPath(): string {
    return join(this.folder, `${prefix}${randomBytes(12).toString('hex')}`);
  }

  /** Writes content as it comes. */
  async receive(source: AsyncIterable<Buffer> | Buffer[], mimeType?: string): Promise<Content> {
    const path = this.newPath();
    try {
      await pipeline(source, createWriteStream(path, { flags: 'wx' }));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    return { path, mimeType };
  }

  discardAll(): void {
    for (const name of readdirSync(this.folder)) {
      if (name.startsWith(prefix)) rmSync(join(this.folder, name));
    }
  }
}

/** Moves a file to where none is: throws EEXIST if one came there first. */
export async function moveToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!linkless.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await rename(from, to);
  }
  await rm(from, { force: true });
}

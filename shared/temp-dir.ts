import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const ownName = `quire-${process.pid}-${threadId}`;
let own: Promise<string> | undefined;

/** A directory that is removed once it is disposed of. */
interface TempDir extends AsyncDisposable {
  path: string;
}

/** Makes an empty directory. What a process leaves behind the next one removes. */
export async function newTempDir(): Promise<TempDir> {
  own ??= makeOwnFolder().catch((error: unknown) => {
    own = undefined;
    throw error;
  });
  const path = await mkdtemp(join(await own, 'files-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Lambda goes on with another process, and the same disk, after it has stopped one whose time was up. */
async function makeOwnFolder(): Promise<string> {
  const names = await readdir(tmpdir());
  const left = names.filter((name) => name === ownName || isDead(name));
  // Another user's can't be removed, and other processes may do the same at once.
  await Promise.allSettled(left.map((name) => rm(join(tmpdir(), name), { recursive: true })));
  const path = join(tmpdir(), ownName);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

function isDead(name: string): boolean {
  const pid = name.match(/^quire-(\d+)-\d+$/)?.[1];
  if (!pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

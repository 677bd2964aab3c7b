import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';

// A data folder that the stage makes is closed to other users of the machine. In one that was there before, and that
// they may enter, what the stage keeps for itself is closed to them too.

/** Makes a file that only its owner may read and write, or closes it to others if there is one. Returns its path. */
export function ownFile(path: string): string {
  closeSync(openSync(path, 'a'));
  chmodSync(path, 0o600);
  return path;
}

/** Makes a folder that only its owner may enter, or closes it to others if there is one. Returns its path. */
export function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  return path;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Gives a test file an empty folder, which is removed after its last test and the hooks that come after this one. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

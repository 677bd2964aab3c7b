import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { findDynoxide } from '../../../lib/local/dynamodb/find-dynoxide.ts';
import { useFolder } from '../../support/run/use-folder.ts';

const folder = useFolder();
const noPackages = createRequire(join(folder, 'nowhere.js'));
const packaged = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');

afterEach(() => vi.unstubAllEnvs());

it('dynoxide is its package’s where there is one', async () => {
  expect(await findDynoxide()).toBe(packaged);
});

it('dynoxide is the one in PATH where the package has none', async () => {
  symlinkSync(packaged, join(folder, 'dynoxide'));
  vi.stubEnv('PATH', folder);

  expect(await findDynoxide(noPackages)).toBe('dynoxide');
});

it.each([
  ['there is none', undefined, 'is not here'],
  ['it is another program', 'echo "oxide 9.9.9"', 'is not here'],
  ['it is old', 'echo "dynoxide 1.1.9"', 'is 1.1.9, and the stage needs 1.2 or newer'],
])('a stage without dynoxide says how to get it if %s', async (_, script, message) => {
  const own = mkdtempSync(join(folder, 'path-'));
  if (script) writeFileSync(join(own, 'dynoxide'), `#!/bin/sh\n${script}\n`);
  if (script) chmodSync(join(own, 'dynoxide'), 0o755);
  vi.stubEnv('PATH', [own, '/bin'].join(delimiter));

  const found = findDynoxide(noPackages);

  await expect(found).rejects.toThrow(message);
  await expect(found).rejects.toThrow('cargo install dynoxide-rs');
});

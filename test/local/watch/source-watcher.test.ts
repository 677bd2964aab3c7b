import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SourceWatcher } from '../../../lib/local/watch/source-watcher.ts';
import { useFolder } from '../../support/run/use-folder.ts';

const root = useFolder();
const reported: string[] = [];
let watcher: SourceWatcher | undefined;

beforeEach(() => {
  reported.length = 0;
});
afterEach(() => watcher?.close());

const report = async (paths: string[]) => {
  reported.push(...paths);
};

/** Makes a folder with a file in it. */
function newFolder(name: string): string {
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, 'old.ts'), '');
  return name;
}

it('reports files that have changed since the start, before it watched', async () => {
  const folder = newFolder('changed-before');
  mkdirSync(join(root, 'moved/deep'), { recursive: true });
  writeFileSync(join(root, 'moved/deep/part.ts'), '');
  const since = Date.now() + 1;
  await vi.waitUntil(() => Date.now() > since + 10);
  writeFileSync(join(root, folder, 'new.ts'), '');
  // One that keeps its time, as a copy may.
  writeFileSync(join(root, 'copy.ts'), '');
  utimesSync(join(root, 'copy.ts'), 0, 0);
  renameSync(join(root, 'copy.ts'), join(root, folder, 'copy.ts'));
  renameSync(join(root, 'moved'), join(root, folder, 'moved'));

  watcher = new SourceWatcher({ root, folders: [folder], since }, report);
  await vi.waitFor(() => expect(reported).not.toEqual([]));

  expect(reported.toSorted()).toEqual(
    ['copy.ts', 'moved/deep/part.ts', 'new.ts'].map((path) => `${folder}/${path}`),
  );
});

it('reports the files of a folder that comes whole, and then each that changes', async () => {
  const folder = newFolder('parent');
  mkdirSync(join(root, 'whole/deep'), { recursive: true });
  for (const name of ['one.ts', 'two.ts']) writeFileSync(join(root, 'whole/deep', name), '');
  const parts = ['', '/deep/one.ts', '/deep/two.ts'].map((path) => `${folder}/whole${path}`);
  watcher = new SourceWatcher({ root, folders: [folder], since: Date.now() + 1 }, report);

  renameSync(join(root, 'whole'), join(root, folder, 'whole'));
  await vi.waitFor(() => expect(reported.toSorted()).toEqual(parts));
  reported.length = 0;
  writeFileSync(join(root, folder, 'whole/deep/one.ts'), 'changed');
  await vi.waitFor(() => expect(reported).not.toEqual([]));

  expect(reported).toEqual([`${folder}/whole/deep/one.ts`]);
});

it('follows no link that leads back to where it lies', async () => {
  const folder = newFolder('linked');
  watcher = new SourceWatcher({ root, folders: [folder], since: Date.now() + 1 }, report);

  symlinkSync('.', join(root, folder, 'back'));
  symlinkSync('itself', join(root, folder, 'itself'));
  await vi.waitFor(() => expect(reported).toHaveLength(2));
  writeFileSync(join(root, folder, 'new.ts'), '');

  await vi.waitFor(() =>
    expect(reported.toSorted()).toEqual([`${folder}/back`, `${folder}/itself`, `${folder}/new.ts`]),
  );
});

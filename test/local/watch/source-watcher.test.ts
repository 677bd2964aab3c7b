import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
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
  const since = Date.now() + 1;
  await vi.waitUntil(() => Date.now() > since + 10);
  writeFileSync(join(root, folder, 'new.ts'), '');
  // One that keeps its time, as a copy may.
  writeFileSync(join(root, 'copy.ts'), '');
  utimesSync(join(root, 'copy.ts'), 0, 0);
  renameSync(join(root, 'copy.ts'), join(root, folder, 'copy.ts'));

  watcher = new SourceWatcher({ root, folders: [folder], since }, report);
  await vi.waitFor(() => expect(reported).not.toEqual([]));

  expect(reported.toSorted()).toEqual([`${folder}/copy.ts`, `${folder}/new.ts`]);
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

import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useOwnStages } from '../support/servers/own-stages.ts';

const { start, newDataDir } = useOwnStages();

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('what a stage keeps is its owner’s alone, in a folder that others may enter', {
  tags: 'exhaustive',
}, async () => {
  const dataDir = newDataDir();
  chmodSync(dataDir, 0o755);
  mkdirSync(join(dataDir, 'drive'));

  await start({ dataDir });

  const files = ['dynamodb.db', 'dynamodb.db-wal', 'drive.db', 'drive.db-wal', 'stage.json'];
  const modes = [...files, 'queues', 'objects'].map((name) => modeOf(join(dataDir, name)));
  expect(modes).toEqual([...files.map(() => '600'), '700', '700']);
});

it('a folder that a stage makes is its owner’s alone', async () => {
  const dataDir = join(newDataDir(), 'new');

  await start({ dataDir, memory: true });

  expect(modeOf(dataDir)).toBe('700');
});

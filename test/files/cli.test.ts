import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../shared/files/find-file.ts';
import { usageOf } from '../../shared/files/quota.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { runCommand } from '../support/servers/command.ts';
import { makeFile } from '../support/worlds/files-world.ts';
import { writeStageOf } from '../support/worlds/operators-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
process.env['FILE_QUOTA'] = JSON.stringify({ files: 10, bytes: 10 * 2 ** 20 });
const dataDir = mkdtempSync(join(tmpdir(), 'quire-files-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
beforeAll(() => writeStageOf(dataDir));

const files = (...args: string[]) => runCommand('files', dataDir, [...args, '--data', dataDir]);

let keyNumber = 0;
const newKey = () => issueKey(`filer-${++keyNumber}`, defaultLimits);

describe('npm run files', () => {
  it('lists how much each key has and may have', async () => {
    const key = await newKey();
    const without = await newKey();
    await makeFile(key.id, 'x'.repeat(2048));
    await makeFile(key.id, 'secret content');

    const { stdout } = await files('list');
    const { keys } = JSON.parse((await files('list', '--json')).stdout);

    const ids = [key.id, without.id];
    expect(keys.filter(({ key_id }: { key_id: string }) => ids.includes(key_id))).toEqual([
      {
        ...{ key_id: key.id, key_name: key.name, files: 2, bytes: 2062 },
        ...{ max_files: 10, max_bytes: 10 * 2 ** 20 },
      },
    ]);
    expect(stdout).toMatch(new RegExp(`${key.name} +key_\\S+ +2 +10 +2\\.0 KB +10\\.0 MB`));
    expect(stdout).not.toContain(without.id);
  });

  it('lists and shows the files of a key, never what is in them', async () => {
    const key = await newKey();
    const { entry } = await makeFile(key.id, 'secret content', {
      ...{ filename: 'a\u001b[2J.txt', expiresAfterSeconds: 3_600 },
    });

    const listed = await files('list', '--key', key.name);
    const shown = await files('show', entry);

    for (const { stdout } of [listed, shown]) {
      expect(stdout).toContain(entry);
      expect(stdout).toContain('a [2J.txt');
      expect(stdout).toContain('user_data');
      expect(stdout).not.toContain('secret content');
    }
    expect(JSON.parse((await files('show', entry, '--json')).stdout)).toMatchObject({
      ...{ id: entry, key_id: key.id, key_name: key.name, bytes: 14 },
    });
  });

  it('deletes a file, once that is meant', async () => {
    const key = await newKey();
    const { entry } = await makeFile(key.id, 'gone');

    const asked = await files('delete', entry);
    const deleted = await files('delete', entry, '--yes');

    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --yes') });
    expect(deleted).toMatchObject({ code: 0, stdout: `Deleted: ${entry}.\n` });
    expect(await findFile(key.id, entry)).toBeUndefined();
    expect(await usageOf(key.id)).toEqual({ files: 0, bytes: 0 });
    expect(await files('show', entry)).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('No such File object') },
    });
  });

  it('takes the ids of files alone', async () => {
    expect(await files('show', 'key_1')).toMatchObject({
      stderr: expect.stringContaining("show takes a file's id, file-…"),
    });
  });
});

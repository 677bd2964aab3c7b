import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDriveServer } from '../../../lib/local/drive/drive-server.ts';
import { accessToken, driveClient, useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

describe('a server that starts again', () => {
  const start = async (folder: string, indexFile: string) => {
    const server = await startDriveServer({ folder, indexFile });
    const client = driveClient(server.url, await accessToken(server.serviceAccount));
    return { server, client };
  };

  it('knows each file by the id it had, and its properties', async () => {
    const { folder } = drive;
    const indexFile = join(folder, '../other.db');
    const before = await start(folder, indexFile);
    drive.put('kept.txt');
    const listed = await before.client.files.list({ pageSize: 1000 });
    const fileId = listed.data.files?.find(({ name }) => name === 'kept.txt')?.id ?? '';
    const appProperties = { job: '1' };
    await before.client.files.update({ fileId, requestBody: { appProperties } });
    await before.server.close();

    const after = await start(folder, indexFile);
    const again = await after.client.files.list({ pageSize: 1000 });
    const fields = 'name,appProperties';
    const kept = await after.client.files.get({ fileId, fields });
    await after.server.close();

    expect(again.data).toEqual(listed.data);
    expect(kept.data).toEqual({ name: 'kept.txt', appProperties });
  });
});

it('a file that is moved on disk leaves its old id', async () => {
  drive.put('before.txt', 'a');
  const id = await drive.idOf('before.txt');

  renameSync(join(drive.folder, 'before.txt'), join(drive.folder, 'after.txt'));

  await expect(drive.client.files.get({ fileId: id })).rejects.toMatchObject({ status: 404 });
  expect(await drive.idOf('after.txt')).not.toBe(id);
});

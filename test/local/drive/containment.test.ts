import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

const apps = 'application/vnd.google-apps';

async function get(name: string, fields: string) {
  return (await drive.client.files.get({ fileId: await drive.idOf(name), fields })).data;
}

describe('a shortcut', () => {
  it('leads to the file that the link points to, through other links', async () => {
    drive.put('far/target.pdf', '%PDF');
    symlinkSync('far/target.pdf', join(drive.folder, 'one'));
    symlinkSync('one', join(drive.folder, 'two.pdf'));

    const shortcut = await get('two.pdf', 'mimeType,size,shortcutDetails');

    expect(shortcut).toEqual({
      mimeType: `${apps}.shortcut`,
      shortcutDetails: {
        targetId: await drive.idOf('target.pdf'),
        targetMimeType: 'application/pdf',
      },
    });
  });

  it('may lead to a folder, even to one it is in', async () => {
    drive.put('loop/file.txt');
    symlinkSync('..', join(drive.folder, 'loop/up'));
    symlinkSync('.', join(drive.folder, 'loop/here'));

    const targets = await Promise.all(
      ['up', 'here'].map(async (name) => (await get(name, 'shortcutDetails')).shortcutDetails),
    );

    const targetMimeType = `${apps}.folder`;
    expect(targets).toEqual([
      { targetId: 'local-drive', targetMimeType },
      { targetId: await drive.idOf('loop'), targetMimeType },
    ]);
  });

  it.each([
    ['out of the Drive', '../outside.txt'],
    ['to a folder outside', tmpdir()],
    ['to a hidden file', '.secret'],
    ['nowhere', 'gone'],
  ])('%s has a target that nobody can get', async (name, target) => {
    writeFileSync(join(drive.folder, '../outside.txt'), 'secret');
    writeFileSync(join(drive.folder, '.secret'), 'secret');
    symlinkSync(target, join(drive.folder, name));

    const { id, shortcutDetails } = await get(name, 'id,shortcutDetails');
    const again = await get(name, 'shortcutDetails');
    const answers = await Promise.all(
      [id, shortcutDetails?.targetId].map((fileId) =>
        drive.call(`/drive/v3/files/${fileId}?alt=media`),
      ),
    );

    expect(again).toEqual({ shortcutDetails });
    expect(answers.map(({ status }) => status)).toEqual([403, 404]);
  });
});

describe('nothing outside the folder is served', () => {
  it('by an id whose folder became a link', async () => {
    drive.put('trap/outside.txt', 'inside');
    const id = await drive.idOf('outside.txt');
    writeFileSync(join(drive.folder, '../outside.txt'), 'secret');
    rmSync(join(drive.folder, 'trap'), { recursive: true });
    symlinkSync('..', join(drive.folder, 'trap'));

    const answer = await drive.call(`/drive/v3/files/${id}?alt=media`);

    expect(answer.status).toBe(404);
  });

  it('by an id whose file became a link', async () => {
    drive.put('bait.txt', 'inside');
    const id = await drive.idOf('bait.txt');
    rmSync(join(drive.folder, 'bait.txt'));
    symlinkSync('../outside.txt', join(drive.folder, 'bait.txt'));

    const answer = await drive.call(`/drive/v3/files/${id}?alt=media`);

    expect(answer.status).toBe(403);
  });

  it.each(['..%2Foutside.txt', '..%2F..', '.secret', 'trap%2Foutside.txt'])(
    'by the path %s in place of an id',
    async (id) => {
      const answer = await drive.call(`/drive/v3/files/${id}?alt=media`);

      expect(answer.status).toBe(404);
    },
  );
});

it('hidden files and folders don’t exist', async () => {
  drive.put('half/.hidden.txt');
  drive.put('half/.cache/deep.txt');

  const found = await drive.client.files.list({ q: `'${await drive.idOf('half')}' in parents` });
  const deep = await drive.client.files.list({ q: "name = 'deep.txt'" });

  expect([found.data.files, deep.data.files]).toEqual([[], []]);
});

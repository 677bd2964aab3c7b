import { createHash } from 'node:crypto';
import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

const apps = 'application/vnd.google-apps';

async function get(name: string, fields: string) {
  return (await drive.client.files.get({ fileId: await drive.idOf(name), fields })).data;
}

async function download(fileId: string) {
  const answer = await drive.client.files.get({ fileId, alt: 'media' }, { responseType: 'stream' });
  const { status, headers: answered, data } = answer;
  return { status, headers: answered as unknown as Headers, bytes: await buffer(data) };
}

describe('files.get', () => {
  it('answers the name and the type where no fields are asked for', async () => {
    drive.put('plain.pdf', '%PDF');

    const { data } = await drive.client.files.get({ fileId: await drive.idOf('plain.pdf') });

    expect(data).toEqual({
      id: expect.stringMatching(/^[\w-]{33}$/),
      name: 'plain.pdf',
      mimeType: 'application/pdf',
    });
  });

  it('answers all that is known of a file', async () => {
    drive.put('folder/deep.png', 'picture');

    const fields =
      'id,name,mimeType,parents,driveId,size,md5Checksum,modifiedTime,trashed,appProperties,webViewLink';
    const file = await get('deep.png', fields);

    expect(file).toEqual({
      id: expect.any(String),
      name: 'deep.png',
      mimeType: 'image/png',
      parents: [await drive.idOf('folder')],
      size: '7',
      md5Checksum: createHash('md5').update('picture').digest('hex'),
      modifiedTime: expect.stringMatching(/Z$/),
      trashed: false,
      webViewLink: expect.stringMatching(/^https:\/\/drive\.google\.com\/file\/d\/[\w-]{33}\/view/),
    });
  });

  it('knows the root by its own id and as root', async () => {
    const fields = 'id,mimeType,parents';

    const answers = await Promise.all(
      ['local-drive', 'root'].map((fileId) => drive.client.files.get({ fileId, fields })),
    );

    const root = { id: 'local-drive', mimeType: `${apps}.folder` };
    expect(answers.map(({ data }) => data)).toEqual([root, root]);
  });

  it('sees a change of the content under the same id', async () => {
    drive.put('growing.txt', 'a');
    const fields = 'id,size,md5Checksum';
    const before = await get('growing.txt', fields);

    appendFileSync(join(drive.folder, 'growing.txt'), 'b');
    const after = await get('growing.txt', fields);

    expect(after).toMatchObject({
      id: before.id,
      size: '2',
      md5Checksum: createHash('md5').update('ab').digest('hex'),
    });
  });

  it('says that there is no such file in Google’s words', async () => {
    const answer = drive.client.files.get({ fileId: 'nowhere' });

    const message = 'File not found: nowhere.';
    const error = {
      message,
      domain: 'global',
      reason: 'notFound',
      location: 'fileId',
      locationType: 'parameter',
    };
    await expect(answer).rejects.toMatchObject({
      status: 404,
      response: { data: { error: { code: 404, message, errors: [error] } } },
    });
  });

  it('answers only the fields asked for', async () => {
    drive.put('masked.txt', 'a');

    const file = await get('masked.txt', 'name, size');

    expect(file).toEqual({ name: 'masked.txt', size: '1' });
  });

  it.each(['title', 'name(', 'name,', 'files(id)', 'name)'])(
    'refuses the field selection %s',
    async (fields) => {
      const answer = drive.client.files.get({ fileId: 'root', fields });

      await expect(answer).rejects.toMatchObject({
        status: 400,
        response: {
          data: { error: { errors: [{ reason: 'invalidParameter', location: 'fields' }] } },
        },
      });
    },
  );
});

describe('a download', () => {
  it('is the file’s bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => n % 251));
    drive.put('bytes.bin', bytes);

    const { bytes: loaded, headers } = await download(await drive.idOf('bytes.bin'));

    expect(loaded.equals(bytes)).toBe(true);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-length')).toBe('700000');
  });

  it('of an empty file is empty', async () => {
    drive.put('empty.txt');

    const { status, bytes } = await download(await drive.idOf('empty.txt'));

    expect(status).toBe(200);
    expect(bytes).toHaveLength(0);
  });

  it.each(['a folder.d', 'a document', 'a shortcut'])('of %s is refused', async (name) => {
    drive.put('a folder.d/file');
    drive.put('a document.gdoc', '# Title');
    if (name === 'a shortcut') symlinkSync('a folder.d/file', join(drive.folder, name));

    const answer = drive.call(`/drive/v3/files/${await drive.idOf(name)}?alt=media`);

    const place = { location: 'alt', locationType: 'parameter' };
    expect(await (await answer).json()).toMatchObject({
      error: { code: 403, errors: [{ reason: 'fileNotDownloadable', ...place }] },
    });
  });
});

describe('a Google file', () => {
  it.each([
    ['Letter.gdoc', 'document', 'text/markdown', '# Dear'],
    ['Sums.gsheet', 'spreadsheet', 'text/csv', 'a,b\n1,2\n'],
    ['Talk.gslides', 'presentation', 'text/plain', 'First slide'],
  ])('%s has no extension and no size, and is exported', async (file, type, mimeType, content) => {
    drive.put(file, content);
    const name = file.slice(0, file.indexOf('.'));

    const described = await get(name, 'mimeType,size,md5Checksum');
    const exported = await drive.client.files.export(
      { fileId: await drive.idOf(name), mimeType },
      { responseType: 'text' },
    );

    expect(described).toEqual({ mimeType: `${apps}.${type}` });
    expect(exported.data).toBe(content);
  });

  it.each([
    ['to a type it has none of', 'Odd', 'application/pdf', 400, 'badRequest'],
    ['without a type', 'Odd', '', 400, 'badRequest'],
    ['of more than 10 MB', 'Large', 'text/markdown', 403, 'exportSizeLimitExceeded'],
    ['of a file with bytes', 'odd.pdf', 'text/plain', 403, 'fileNotExportable'],
  ])('can’t be exported %s', async (_, name, mimeType, code, reason) => {
    drive.put('Odd.gdoc');
    drive.put('odd.pdf');
    drive.put('Large.gdoc', Buffer.alloc(10 * 1024 * 1024 + 1, 'a'));

    const fileId = await drive.idOf(name);
    const answer = await drive.call(`/drive/v3/files/${fileId}/export?mimeType=${mimeType}`);

    expect(answer.status).toBe(code);
    expect(await answer.json()).toMatchObject({ error: { code, errors: [{ reason }] } });
  });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

const apps = 'application/vnd.google-apps';

const named = async (q: string) => {
  const { data } = await drive.client.files.list({ q, fields: 'files(name)' });
  return data.files?.map(({ name }) => String(name)).sort();
};

describe('files.list', () => {
  let folder: string;
  beforeAll(async () => {
    drive.put('search/report.pdf', '%PDF');
    drive.put('search/Annual report 2025.pdf', '%PDF');
    drive.put("search/O'Brien\\notes.txt");
    drive.put('search/sub/inner.txt');
    drive.put('search/Minutes.gdoc');
    folder = await drive.idOf('search');
  });

  it.each([
    ["name = 'report.pdf'", ['report.pdf']],
    ["name = 'O\\'Brien\\\\notes.txt'", ["O'Brien\\notes.txt"]],
    ["mimeType = 'application/pdf' and name != 'report.pdf'", ['Annual report 2025.pdf']],
    [`mimeType = '${apps}.folder' and trashed = false`, ['sub']],
    [`mimeType != '${apps}.folder' and name = 'sub'`, []],
  ])('finds %s', async (q, names) => {
    const found = await named(`'${folder}' in parents and ${q}`);

    expect(found).toEqual(names);
  });

  it('finds the files of several folders, and of folders in them none', async () => {
    const sub = await drive.idOf('sub');

    const found = await named(`name != 'sub' and ('${folder}' in parents or '${sub}' in parents)`);

    expect(found).toContain('inner.txt');
    expect(found).toContain('report.pdf');
    expect(found).toHaveLength(5);
  });

  it('says in Google’s words that a folder is not there', async () => {
    const answer = drive.client.files.list({ q: "'nowhere' in parents" });

    await expect(answer).rejects.toMatchObject({ status: 404, message: 'File not found: .' });
  });

  it.each([
    ['q', { q: "title = 'x'" }],
    ['q', { q: "name = 'x" }],
    ['q', { q: "name = 'x' and" }],
    ['q', { q: "(name = 'x'" }],
    ['q', { q: "name contains 'x'" }],
    ['q', { q: "name = 'x' or name = 'y'" }],
    ['q', { q: "'x' in parents and 'y' in parents" }],
    ['pageToken', { pageToken: 'nonsense' }],
    ['pageToken', { pageToken: Buffer.from('["x"]').toString('base64url') }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { pageSize: 1001 }],
    ['orderBy', { orderBy: 'name' }],
    ['fields', { fields: 'files(id,title)' }],
    ['fields', { fields: 'items' }],
  ])('refuses an invalid %s: %o', async (location, parameters) => {
    const answer = drive.client.files.list(parameters);

    await expect(answer).rejects.toMatchObject({
      status: 400,
      response: { data: { error: { errors: [{ location, locationType: 'parameter' }] } } },
    });
  });

  it('answers only the fields asked for', async () => {
    const q = "name = 'report.pdf'";

    const whole = await drive.client.files.list({ q });
    const names = await drive.client.files.list({ q, fields: 'nextPageToken,files(name)' });

    expect(whole.data).toEqual({
      files: [{ id: expect.any(String), name: 'report.pdf', mimeType: 'application/pdf' }],
    });
    expect(names.data).toEqual({ files: [{ name: 'report.pdf' }] });
  });

  it('pages without losing or repeating a file while others come and go', async () => {
    const dir = 'pages';
    const expected = Array.from({ length: 25 }, (_, n) => `file ${n}`);
    for (const name of expected) drive.put(`${dir}/${name}`);
    drive.put(`${dir}/gone`);
    const q = `'${await drive.idOf(dir)}' in parents`;

    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const { data } = await drive.client.files.list({
        q,
        pageSize: 4,
        ...(pageToken && { pageToken }),
      });
      seen.push(...(data.files ?? []).map(({ name }) => String(name)));
      pageToken = data.nextPageToken ?? undefined;
      rmSync(join(drive.folder, dir, 'gone'), { force: true });
      for (const n of [1, 2]) drive.put(`${dir}/new ${seen.length} ${n}`);
    } while (pageToken && seen.length < 200);

    const old = seen.filter((name) => name.startsWith('file'));
    expect(old.sort()).toEqual(expected.sort());
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('refuses the token of another search', async () => {
    const { data } = await drive.client.files.list({ pageSize: 1, fields: 'nextPageToken' });

    const answer = drive.client.files.list({
      q: 'trashed = false',
      pageToken: data.nextPageToken ?? '',
    });

    await expect(answer).rejects.toMatchObject({ status: 400, message: 'Invalid Value' });
  });
});

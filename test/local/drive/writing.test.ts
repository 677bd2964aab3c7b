import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { drive_v3 } from 'googleapis';
import { describe, expect, it } from 'vitest';
import { useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

const apps = 'application/vnd.google-apps';

const fields = 'id,name,mimeType,parents,appProperties,size';

/** Writes content by a resumable upload, to a new file or to that of `path`. Throws as Google's client does. */
async function upload(metadata: object, body: string, path = '') {
  const begun = await drive.call(
    `/upload/drive/v3/files${path}?uploadType=resumable&fields=${fields}`,
    { method: path ? 'PATCH' : 'POST', body: JSON.stringify(metadata) },
  );
  const location = begun.headers.get('location');
  const bytes = Buffer.byteLength(body);
  const range = bytes ? `0-${bytes - 1}` : '*';
  const headers = { 'content-range': `bytes ${range}/${bytes}` };
  const answer = location ? await fetch(location, { method: 'PUT', headers, body }) : begun;
  const data = (await answer.json()) as drive_v3.Schema$File & { error?: { message: string } };
  if (data.error) {
    throw Object.assign(new Error(data.error.message), {
      status: answer.status,
      response: { data },
    });
  }
  return { ...data, id: data.id ?? '' };
}

const create = (metadata: object, body: string = '') => upload(metadata, body);

const rewrite = (id: string, body: string, metadata = {}) => upload(metadata, body, `/${id}`);

async function update(
  fileId: string,
  params: Omit<drive_v3.Params$Resource$Files$Update, 'fileId'>,
) {
  return (await drive.client.files.update({ fileId, fields, ...params })).data;
}

async function newId(): Promise<string> {
  const { data } = await drive.client.files.generateIds({ count: 1 });
  return data.ids?.[0] ?? '';
}

const onDisk = (path: string) => readFileSync(join(drive.folder, path), 'utf8');

const refusal = (status: number, reason: string) => ({
  status,
  response: { data: { error: { code: status, errors: [{ reason }] } } },
});

describe('a new file', () => {
  it('is in its folder on disk, whole', async () => {
    drive.put('jobs/scan.pdf');
    const id = await newId();
    const parents = [await drive.idOf('jobs')];
    const appProperties = { job: '7' };

    const created = await create({ id, name: 'scan.md', parents, appProperties }, '# Text');

    expect(created).toMatchObject({
      id,
      name: 'scan.md',
      mimeType: 'text/markdown',
      parents,
      appProperties,
      size: '6',
    });
    expect(onDisk('jobs/scan.md')).toBe('# Text');
  });

  it('may have no content', async () => {
    const { size, mimeType } = await create({ name: 'none.json' });

    expect({ size, mimeType }).toEqual({ size: '0', mimeType: 'application/json' });
  });

  it('leaves nothing else on disk', () => {
    const hidden = readdirSync(drive.folder).filter((name) => name.startsWith('.'));

    expect(hidden).toEqual([]);
  });

  it('has the type it is given, whatever its name', async () => {
    const { id } = await create({ name: 'page.txt', mimeType: 'application/x-odd' }, 'x');

    const { data } = await drive.client.files.get({ fileId: id });

    expect(data.mimeType).toBe('application/x-odd');
  });

  it('may have the name of another: on disk it has a number', async () => {
    const names = ['twin.md', 'twin.md', 'twin.md'];

    const twins = await Promise.all(names.map((name, n) => create({ name }, `${n}`)));

    expect(twins.map(({ name }) => name)).toEqual(names);
    const contents = ['twin.md', 'twin (1).md', 'twin (2).md'].map(onDisk);
    expect(contents.sort()).toEqual(['0', '1', '2']);
  });

  it.each([
    ['../../up.txt', '_.._.._up.txt'],
    ['..', '_..'],
    ['.hidden', '_.hidden'],
    ['a/b.txt', 'a_b.txt'],
    ['back\\slash', 'back_slash'],
    ['line\nbreak\0', 'line_break_'],
    ['Offer.gdoc', 'Offer.gdoc.bin'],
  ])('named %j has a name on disk that stays in its folder', async (name, diskName) => {
    const created = await create({ name }, 'x');

    const { data } = await drive.client.files.get({ fileId: created.id, fields: 'name,size' });

    expect(data).toEqual({ name, size: '1' });
    expect(onDisk(diskName)).toBe('x');
  });

  it('never goes where a link is, even one that points nowhere', async () => {
    symlinkSync('../planted.txt', join(drive.folder, 'dangling.txt'));

    await create({ name: 'dangling.txt' }, 'x');

    expect(onDisk('dangling (1).txt')).toBe('x');
    expect(existsSync(join(drive.folder, '../planted.txt'))).toBe(false);
  });

  it('may have a name too long for the disk', async () => {
    const name = `${'ä'.repeat(300)}.md`;

    const created = await create({ name }, 'x');

    expect(created).toMatchObject({ name, mimeType: 'text/markdown' });
  });
});

describe('a new file is refused', () => {
  it('with the id of another, which stays as it is', async () => {
    const id = await newId();
    await create({ id, name: 'first.md' }, 'first');

    const again = create({ id, name: 'second.md' }, 'x'.repeat(1e6));

    await expect(again).rejects.toMatchObject({
      ...refusal(409, 'fileIdInUse'),
      message: 'A file already exists with the provided ID.',
    });
    expect(onDisk('first.md')).toBe('first');
    expect(existsSync(join(drive.folder, 'second.md'))).toBe(false);
  });

  it('with the same id as one made at the same time', async () => {
    const id = await newId();

    const made = await Promise.allSettled(
      [1, 2, 3].map((n) => create({ id, name: `race ${n}` }, 'x')),
    );

    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(drive.folder).filter((name) => name.startsWith('race'))).toHaveLength(1);
  });

  it.each([
    ['in a folder that is not there', { parents: ['nowhere'] }, 404, 'notFound'],
    ['with an id that Drive gave nobody', { id: 'mine' }, 400, 'invalid'],
    [
      'with a property too long',
      { appProperties: { key: 'ü'.repeat(61) } },
      403,
      'propertyLengthLimitExceeded',
    ],
    ['of a type of Google’s own', { mimeType: `${apps}.document` }, 400, 'badRequest'],
  ])('%s', async (_, requestBody, status, reason) => {
    const made = create({ name: 'refused.md', ...requestBody }, 'x');

    await expect(made).rejects.toMatchObject(refusal(status, reason));
    expect(existsSync(join(drive.folder, 'refused.md'))).toBe(false);
  });

  it('in a file', async () => {
    const { id } = await create({ name: 'no folder' });

    const inFile = create({ name: 'refused.md', parents: [id] }, 'x');

    await expect(inFile).rejects.toMatchObject(refusal(403, 'parentNotAFolder'));
  });
});

describe('an update', () => {
  it('of the content keeps the id, the name and the properties', async () => {
    const appProperties = { job: '1' };
    const { id } = await create({ name: 'draft.md', appProperties }, 'old');

    const updated = await rewrite(id, 'newer');

    expect(updated).toMatchObject({ id, name: 'draft.md', size: '5', appProperties });
    expect(onDisk('draft.md')).toBe('newer');
  });

  it('of the content and the properties at once does both', async () => {
    const { id } = await create({ name: 'both.md' }, 'old');

    const updated = await rewrite(id, 'new', {
      name: 'both.md',
      mimeType: 'text/markdown',
      appProperties: { done: 'yes' },
    });

    expect(updated).toMatchObject({ id, name: 'both.md', appProperties: { done: 'yes' } });
    expect(onDisk('both.md')).toBe('new');
  });

  it('merges properties', async () => {
    const { id } = await create({ name: 'props', appProperties: { a: '1', b: '2' } });

    const updated = await update(id, { requestBody: { appProperties: { b: '3', c: '4' } } });

    expect(updated.appProperties).toEqual({ a: '1', b: '3', c: '4' });
  });

  it('of a file that a user put there gives it properties', async () => {
    drive.put('dropped.pdf', '%PDF');
    const id = await drive.idOf('dropped.pdf');

    await update(id, { requestBody: { appProperties: { seen: 'yes' } } });

    const { data } = await drive.client.files.get({ fileId: id, fields: 'name,appProperties' });
    expect(data).toEqual({ name: 'dropped.pdf', appProperties: { seen: 'yes' } });
  });

  it.each([
    ['of the name', { requestBody: { name: 'other' } }],
    ['of the type', { requestBody: { mimeType: `${apps}.folder` } }],
    ['of the folder', { addParents: 'root' }],
  ])('%s is refused', async (_, params) => {
    const { id } = await create({ name: 'stays' });

    await expect(update(id, params)).rejects.toMatchObject(refusal(400, 'badRequest'));
  });

  it('of a folder is refused', async () => {
    const root = update('local-drive', { requestBody: { appProperties: { a: '1' } } });

    await expect(root).rejects.toMatchObject(refusal(400, 'badRequest'));
  });

  it('never follows a link out of the folder', async () => {
    const outside = join(drive.folder, '../victim.txt');
    writeFileSync(outside, 'mine');
    symlinkSync('../victim.txt', join(drive.folder, 'leak.txt'));
    mkdirSync(join(drive.folder, 'portal'));
    const leak = await drive.idOf('leak.txt');

    const written = rewrite(leak, 'overwritten');
    await expect(written).rejects.toMatchObject(refusal(400, 'badRequest'));
    rmdirSync(join(drive.folder, 'portal'));
    symlinkSync('..', join(drive.folder, 'portal'));
    const made = create({ name: 'planted.txt', parents: [await drive.idOf('portal')] }, 'x');

    await expect(made).rejects.toMatchObject(refusal(403, 'parentNotAFolder'));
    expect(readFileSync(outside, 'utf8')).toBe('mine');
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useDrive } from '../../support/servers/drive.ts';

const drive = await useDrive();

const kilobytes = 1024;
const content = randomBytes(5 * 1024 * kilobytes + 1000);
const md5 = createHash('md5').update(content).digest('hex');

/** Begins an upload; answers the address it goes to. */
async function begin(metadata: object, { fileId = '', query = 'fields=id,name,md5Checksum' } = {}) {
  const path = `/upload/drive/v3/files${fileId && `/${fileId}`}?uploadType=resumable&${query}`;
  const answer = await drive.call(path, {
    method: fileId ? 'PATCH' : 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: answer.status, location: answer.headers.get('location') ?? '', answer };
}

// A session's address needs no token.
const put = (location: string, range: string, body?: Buffer) =>
  fetch(location, {
    method: 'PUT',
    headers: { 'content-range': range },
    ...(body && { body: new Uint8Array(body) }),
  });

const chunk = (location: string, from: number, to: number) =>
  put(location, `bytes ${from}-${to - 1}/${content.length}`, content.subarray(from, to));

const putAll = (location: string) => chunk(location, 0, content.length);

const waitingFiles = () => readdirSync(drive.folder).filter((name) => name.startsWith('.'));

describe('a resumable upload', () => {
  it('comes in one request', async () => {
    const { status, location } = await begin({ name: 'one.pdf' });

    const answer = await putAll(location);

    expect(status).toBe(200);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      id: await drive.idOf('one.pdf'),
      name: 'one.pdf',
      md5Checksum: md5,
    });
  });

  it('comes in chunks, each answered by how much there is', async () => {
    const { location } = await begin({ name: 'chunks.pdf' });
    const size = 2048 * kilobytes;

    const first = await chunk(location, 0, size);
    const second = await chunk(location, size, 2 * size);
    const last = await chunk(location, 2 * size, content.length);

    expect([first.status, second.status, last.status]).toEqual([308, 308, 200]);
    expect(first.headers.get('range')).toBe(`bytes=0-${size - 1}`);
    expect(second.headers.get('range')).toBe(`bytes=0-${2 * size - 1}`);
    expect(await last.json()).toMatchObject({ md5Checksum: md5 });
    expect(waitingFiles()).toEqual([]);
  });

  it('keeps of a chunk that isn’t the last only multiples of 256 KiB', async () => {
    const { location } = await begin({ name: 'odd.pdf' });

    const odd = await chunk(location, 0, 300 * kilobytes);
    const gap = await chunk(location, 300 * kilobytes, content.length);
    const rest = await chunk(location, 256 * kilobytes, content.length);

    expect(odd.headers.get('range')).toBe('bytes=0-262143');
    expect(gap.status).toBe(400);
    expect(await gap.text()).toContain('The upload has 262144 bytes so far.');
    expect(await rest.json()).toMatchObject({ md5Checksum: md5 });
  });

  it('takes again what it has', async () => {
    const { location } = await begin({ name: 'twice.pdf' });
    await chunk(location, 0, 512 * kilobytes);

    const again = await chunk(location, 0, 512 * kilobytes);
    const rest = await chunk(location, 256 * kilobytes, content.length);

    expect(again.headers.get('range')).toBe('bytes=0-524287');
    expect(await rest.json()).toMatchObject({ md5Checksum: md5 });
  });

  it('goes on from where a broken connection left it', async () => {
    const { location } = await begin({ name: 'broken.pdf' });
    drive.fault({ match: { method: 'PUT' }, cutAfterBytes: 1_000_000 });

    await expect(putAll(location)).rejects.toThrow();
    const asked = await put(location, `bytes */${content.length}`);
    const received = Number(asked.headers.get('range')?.split('-')[1]) + 1;
    const rest = await chunk(location, received, content.length);

    expect(asked.status).toBe(308);
    expect(received).toBe(3 * 256 * kilobytes);
    expect(await rest.json()).toMatchObject({ md5Checksum: md5 });
  });

  it('says nothing of a range before anything came', async () => {
    const { location } = await begin({ name: 'nothing.pdf' });

    const asked = await put(location, 'bytes */10');

    expect(asked.status).toBe(308);
    expect(asked.headers.has('range')).toBe(false);
  });

  it('whose last answer was lost makes one file, and answers it again', async () => {
    const { location } = await begin({ name: 'lost.pdf' });
    drive.fault({ match: { method: 'PUT' }, afterDone: true });

    await expect(putAll(location)).rejects.toThrow();
    const asked = await put(location, `bytes */${content.length}`);
    const repeated = await putAll(location);

    const file = { id: await drive.idOf('lost.pdf'), md5Checksum: md5 };
    expect(asked.status).toBe(200);
    expect(await asked.json()).toMatchObject(file);
    expect(await repeated.json()).toMatchObject(file);
  });

  it('of nothing is an empty file', async () => {
    const { location } = await begin({ name: 'empty.pdf' });

    const answer = await put(location, 'bytes */0');

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ name: 'empty.pdf' });
  });

  it('changes a file', async () => {
    drive.put('before.pdf', 'old');
    const fileId = await drive.idOf('before.pdf');
    const { location } = await begin({ appProperties: { a: '1' } }, { fileId });

    const answer = await putAll(location);

    expect(await answer.json()).toEqual({ id: fileId, name: 'before.pdf', md5Checksum: md5 });
  });
});

describe('a resumable upload is refused', () => {
  it('before it begins, where the file could not be made', async () => {
    drive.put('there');
    const id = await drive.idOf('there');

    const begun = await Promise.all([
      begin({ parents: ['nowhere'] }),
      begin({ id }),
      begin({}, { fileId: 'nowhere' }),
      begin({}, { query: 'fields=title' }),
    ]);

    expect(begun.map(({ status }) => status)).toEqual([404, 409, 404, 400]);
  });

  it('at its end, where the id was taken meanwhile', async () => {
    const { data } = await drive.client.files.generateIds({ count: 1 });
    const id = data.ids?.[0] ?? '';
    const { location } = await begin({ id, name: 'late.pdf' });
    const early = await begin({ id, name: 'early.pdf' });
    await putAll(early.location);

    const answer = await putAll(location);

    expect(answer.status).toBe(409);
    expect(await drive.idOf('early.pdf')).toBe(id);
  });

  it.each([
    ['with a range that can’t be read', 'bytes 0-9', 400],
    ['with more than its size', 'bytes 0-9/5', 400],
  ])('%s', async (_, range, status) => {
    const { location } = await begin({ name: 'wrong.pdf' });

    const answer = await put(location, range, Buffer.alloc(10));

    expect(answer.status).toBe(status);
  });

  it('where its session isn’t known', async () => {
    const answer = await put(`${drive.url}/upload/drive/v3/files?upload_id=gone`, 'bytes */10');

    expect(answer.status).toBe(404);
  });
});

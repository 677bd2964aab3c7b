import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { newCaller } from '../../support/servers/new-caller.ts';

const stage = await shared('stage');

async function newClient(): Promise<OpenAI> {
  const { base_url, api_key } = await newCaller(stage);
  return new OpenAI({ baseURL: `${base_url}/v1`, apiKey: api_key, maxRetries: 0 });
}

const client = await newClient();
const other = await newClient();
const megabyte = 2 ** 20;

/** Bytes of every value, none of which is text. */
const bytesOf = (length: number) =>
  Buffer.alloc(
    length,
    Uint8Array.from({ length: 251 }, (_, n) => n),
  );

describe.concurrent('files of OpenAI’s client', () => {
  it('are made, read, listed and deleted', async () => {
    const bytes = bytesOf(100_000);
    const made = await client.files.create({
      file: await toFile(bytes, 'Grüße "1".bin'),
      purpose: 'user_data',
    });

    expect(made).toMatchObject({
      ...{ object: 'file', bytes: 100_000, filename: 'Grüße "1".bin', purpose: 'user_data' },
      ...{ status: 'processed', expires_at: null },
    });
    expect(await client.files.retrieve(made.id)).toEqual(made);
    const content = await client.files.content(made.id);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    expect(content.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _1_.bin"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22.bin`,
    );
    const listed = await Array.fromAsync(client.files.list({ purpose: 'user_data', limit: 1 }));
    expect(listed).toContainEqual(made);
    expect(await client.files.delete(made.id)).toEqual({
      ...{ id: made.id, object: 'file', deleted: true },
    });
    await expect(client.files.retrieve(made.id)).rejects.toMatchObject({
      ...{ status: 404, param: 'id', type: 'invalid_request_error' },
      message: `404 No such File object: ${made.id}`,
    });
  });

  it('expire when it is asked for', async () => {
    const made = await client.files.create({
      ...{ file: await toFile(Buffer.from('{}\n'), 'a.jsonl'), purpose: 'batch' },
      expires_after: { anchor: 'created_at', seconds: 3600 },
    });

    expect(made.expires_at).toBe(made.created_at + 3600);
  });

  it('are paged through, also by limit', async () => {
    const own = await newClient();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const file = await toFile(Buffer.from(name), name);
      ids.unshift((await own.files.create({ file, purpose: 'batch' })).id);
    }

    const listed = await Array.fromAsync(own.files.list({ limit: 2 }));

    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect((await Array.fromAsync(own.files.list({ order: 'asc' }))).map(({ id }) => id)).toEqual(
      ids.toReversed(),
    );
  });

  it('are nobody else’s, whatever is asked', async () => {
    const file = await toFile(Buffer.from('mine'), 'a');
    const { id } = await client.files.create({ file, purpose: 'assistants' });

    for (const asked of [
      () => other.files.retrieve(id),
      () => other.files.content(id),
      () => other.files.delete(id),
      () => other.files.retrieve('file-0'),
    ]) {
      await expect(asked()).rejects.toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(await Array.fromAsync(other.files.list())).toEqual([]);
    expect(await (await client.files.content(id)).text()).toBe('mine');
  });

  it('of up to 4.4 MB pass, and larger ones are told of uploads', async () => {
    const create = async (length: number) =>
      client.files.create({ file: await toFile(bytesOf(length), 'large'), purpose: 'user_data' });

    expect((await create(Math.floor(4.4 * megabyte))).bytes).toBe(Math.floor(4.4 * megabyte));
    for (const length of [4.6 * megabyte, 20 * megabyte]) {
      await expect(create(Math.ceil(length))).rejects.toMatchObject({
        ...{ status: 413, code: 'request_too_large' },
        message: expect.stringMatching(/POST \/v1\/uploads, in parts of 4194304 bytes at most/),
      });
    }
  });

  it('of 200 MB are told of it too', { tags: 'exhaustive' }, async () => {
    const file = await toFile(bytesOf(200 * megabyte), 'large');

    await expect(client.files.create({ file, purpose: 'batch' })).rejects.toMatchObject({
      status: 413,
    });
  });
});

describe.concurrent('uploads of OpenAI’s client', () => {
  const begin = (bytes: number, of = client) =>
    of.uploads.create({
      ...{ filename: 'a.jsonl', purpose: 'batch', bytes, mime_type: 'application/jsonl' },
    });

  it('make a file of parts that are sent at once', async () => {
    const bytes = bytesOf(9 * megabyte);
    const upload = await begin(bytes.length);
    expect(upload).toMatchObject({ object: 'upload', status: 'pending', bytes: bytes.length });

    const parts = await Promise.all(
      [0, 4, 8].map(async (from) => {
        const data = await toFile(bytes.subarray(from * megabyte, (from + 4) * megabyte), 'part');
        return client.uploads.parts.create(upload.id, { data });
      }),
    );
    expect(parts[0]).toMatchObject({ object: 'upload.part', upload_id: upload.id });
    const part_ids = parts.map(({ id }) => id);
    const md5 = createHash('md5').update(bytes).digest('hex');
    const done = await client.uploads.complete(upload.id, { part_ids, md5 });

    expect(done).toMatchObject({ id: upload.id, status: 'completed', file: { purpose: 'batch' } });
    const content = await client.files.content(done.file?.id ?? '');
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    await client.files.delete(done.file?.id ?? '');
  });

  it('are cancelled, and take no parts then', async () => {
    const upload = await begin(4);
    const data = await toFile(Buffer.from('some'), 'part');
    const { id } = await client.uploads.parts.create(upload.id, { data });

    expect(await client.uploads.cancel(upload.id)).toMatchObject({ status: 'cancelled' });

    await expect(client.uploads.parts.create(upload.id, { data })).rejects.toMatchObject({
      ...{ status: 400, code: 'invalid_upload_status', param: 'upload_id' },
    });
    await expect(client.uploads.complete(upload.id, { part_ids: [id] })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('are nobody else’s', async () => {
    const { id } = await begin(4);
    const data = await toFile(Buffer.from('some'), 'part');

    for (const asked of [
      () => other.uploads.parts.create(id, { data }),
      () => other.uploads.complete(id, { part_ids: [] }),
      () => other.uploads.cancel(id),
    ]) {
      await expect(asked()).rejects.toMatchObject({
        ...{ status: 404, message: `404 No such Upload object: ${id}` },
      });
    }
  });

  it('whose parts are too large are told the size to use', async () => {
    const { id } = await begin(64 * megabyte);
    const data = await toFile(bytesOf(8 * megabyte), 'part');

    await expect(client.uploads.parts.create(id, { data })).rejects.toMatchObject({
      ...{ status: 413, message: expect.stringContaining('part_size=4194304') },
    });
  });
});

import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { cancelUpload } from '../../shared/files/cancel-upload.ts';
import { completeUpload } from '../../shared/files/complete-upload.ts';
import { deleteFile } from '../../shared/files/delete-file.ts';
import { requireFile } from '../../shared/files/find-file.ts';
import { listFiles } from '../../shared/files/list-files.ts';
import { usageOf } from '../../shared/files/quota.ts';
import { sweepFiles } from '../../shared/files/sweep-files.ts';
import { createUpload, requireUpload, toUploadObject } from '../../shared/files/upload.ts';
import { addUploadPart } from '../../shared/files/upload-part.ts';
import { dayMs, hourMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { dyingBefore, requestsOf } from '../support/worlds/dying.ts';
import { objectsOfKey, textOf } from '../support/worlds/files-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
useStoppedClock('2026-11-24T12:00:00.000Z');
let key = '';
beforeEach(() => {
  key = `key_${randomUUID()}`;
  process.env['FILE_QUOTA'] = JSON.stringify({ files: 2, bytes: 100 });
});

const nothing = { files: 0, bytes: 0 };
const begin = (bytes: number, rest: object = {}, of = key) =>
  createUpload(of, {
    ...{ filename: 'a.jsonl', purpose: 'batch', mime_type: 'application/jsonl', bytes, ...rest },
  });

/** Sends texts as parts of an upload at the same time. Returns their ids. */
const send = async (uploadId: string, texts: string[], of = key) =>
  (await Promise.all(texts.map((text) => addUploadPart(of, uploadId, Buffer.from(text))))).map(
    ({ id }) => id,
  );

describe('an upload', () => {
  it('becomes a file of its parts in the order that is asked for', async () => {
    const { entry } = await begin(11);
    expect(await usageOf(key)).toMatchObject({ files: 1, bytes: 11 });
    const [world = '', hello = '', extra = ''] = await send(entry, ['world', 'hello ', 'sent']);
    expect((await listFiles(key)).data).toEqual([]);
    pass(minuteMs);

    const md5 = createHash('md5').update('hello world').digest('hex');
    const done = await completeUpload(key, entry, { part_ids: [hello, world], md5 });

    const file = await requireFile(key, done.file_id ?? '');
    expect(await textOf(file)).toBe('hello world');
    expect(await textOf(file, 3)).toBe('lo world');
    expect(await textOf(file, 6)).toBe('world');
    expect(await textOf(file, 11)).toBe('');
    expect(await toUploadObject(done)).toEqual({
      ...{ id: entry, object: 'upload', bytes: 11, filename: 'a.jsonl', purpose: 'batch' },
      ...{ created_at: 1_795_521_600, expires_at: 1_795_525_200, status: 'completed' },
      file: {
        ...{ id: file.entry, object: 'file', bytes: 11, filename: 'a.jsonl', purpose: 'batch' },
        ...{ created_at: 1_795_521_660, expires_at: 1_795_521_660 + 30 * 86_400 },
        ...{ status: 'processed', status_details: null },
      },
    });
    expect((await objectsOfKey(key)).filter((name) => name.endsWith(extra))).toEqual([]);
    expect(await usageOf(key)).toMatchObject({ files: 1, bytes: 11 });
    await deleteFile(key, file.entry);
    expect(await objectsOfKey(key)).toEqual([]);
    expect(await usageOf(key)).toMatchObject(nothing);
  });

  it('is completed once, and says so again to who asks for the same', async () => {
    const { entry } = await begin(2);
    const [a = '', b = ''] = await send(entry, ['a', 'b']);

    const ended = await Promise.allSettled([
      completeUpload(key, entry, { part_ids: [a, b] }),
      completeUpload(key, entry, { part_ids: [b, a] }),
    ]);

    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const part_ids = ended[0].status === 'fulfilled' ? [a, b] : [b, a];
    const again = await completeUpload(key, entry, { part_ids });
    expect((await listFiles(key)).data.map(({ id }) => id)).toEqual([again.file_id]);
    const file = await requireFile(key, again.file_id ?? '');
    expect(await textOf(file)).toBe(part_ids[0] === a ? 'ab' : 'ba');
    await expect(
      completeUpload(key, entry, { part_ids: part_ids.toReversed() }),
    ).rejects.toMatchObject({ statusCode: 400, code: 'invalid_upload_status' });
    await expect(cancelUpload(key, entry)).rejects.toThrow('is completed');
    await expect(send(entry, ['c'])).rejects.toThrow('is completed');
  });

  it.each([
    ['too few bytes', (ids: string[]) => ids.slice(1), 'The parts have 1 bytes together'],
    ['a part twice', ([a = '']: string[]) => [a, a], 'A part stands twice in part_ids.'],
    ['a part that there isn’t', () => ['part_0'], 'has no part part_0.'],
  ])('is not completed by %s, and can be then', async (_, choose, message) => {
    const { entry } = await begin(2);
    const part_ids = await send(entry, ['a', 'b']);

    const asked = completeUpload(key, entry, { part_ids: choose(part_ids) });

    await expect(asked).rejects.toThrow(message);
    await expect(
      completeUpload(key, entry, { part_ids, md5: '0'.repeat(32) }),
    ).rejects.toMatchObject({ code: 'md5_mismatch', param: 'md5' });
    await completeUpload(key, entry, { part_ids });
  });

  it('is nobody else’s, and neither are its parts', async () => {
    const { entry } = await begin(1);
    const part_ids = await send(entry, ['a']);
    const other = await begin(1, {}, 'key_other');

    for (const asked of [
      () => addUploadPart('key_other', entry, Buffer.from('b')),
      () => completeUpload('key_other', entry, { part_ids }),
      () => cancelUpload('key_other', entry),
    ]) {
      await expect(asked()).rejects.toMatchObject({
        ...{ statusCode: 404, message: `No such Upload object: ${entry}` },
      });
    }
    await expect(completeUpload('key_other', other.entry, { part_ids })).rejects.toThrow(
      'has no part',
    );
  });

  it('counts from its begin on, and no more once it is cancelled', async () => {
    const { entry } = await begin(99);
    await send(entry, ['some']);

    await expect(begin(2)).rejects.toMatchObject({ code: 'file_quota_exceeded' });
    expect((await cancelUpload(key, entry)).status).toBe('cancelled');
    expect((await cancelUpload(key, entry)).status).toBe('cancelled');

    expect(await usageOf(key)).toMatchObject(nothing);
    expect(await objectsOfKey(key)).toEqual([]);
    await begin(2);
  });

  it('expires after an hour, with what was sent for it', async () => {
    const { entry } = await begin(4);
    const part_ids = await send(entry, ['some']);

    pass(hourMs);
    await expect(send(entry, ['more'])).rejects.toThrow('is expired');
    await expect(completeUpload(key, entry, { part_ids })).rejects.toThrow('is expired');
    await sweepFiles();

    expect((await requireUpload(key, entry)).status).toBe('expired');
    expect(await usageOf(key)).toMatchObject(nothing);
    expect(await objectsOfKey(key)).toEqual([]);
  });

  it('takes parts that are sent again, and no end of them', async () => {
    process.env['FILE_QUOTA'] = JSON.stringify({ files: 2, bytes: 2 ** 30 });
    const { entry } = await begin(4);

    await send(entry, ['some', 'some', 'so']);

    await expect(send(entry, ['xxx'])).rejects.toMatchObject({
      code: 'upload_too_large',
      message: expect.stringContaining('this part has 3 bytes, and it takes 2 more'),
    });
  });

  it('of a byte stores no more than its own part', async () => {
    const { entry } = await begin(1);

    await expect(send(entry, ['x'.repeat(64)])).rejects.toMatchObject({ code: 'upload_too_large' });

    expect(await objectsOfKey(key)).toEqual([]);
  });

  it('is whole or not there, wherever its completion dies, and never made twice', async () => {
    process.env['FILE_QUOTA'] = JSON.stringify({ files: 100, bytes: 100 });
    const prepare = async (of = key) => {
      const { entry } = await begin(2, {}, of);
      return { entry, part_ids: await send(entry, ['a', 'b'], of) };
    };
    const counted = await prepare('key_counted');
    const requests = await requestsOf(() =>
      completeUpload('key_counted', counted.entry, { part_ids: counted.part_ids }),
    );
    for (let request = 0; request <= requests; request += 1) {
      const { entry, part_ids } = await prepare();
      const complete = () => completeUpload(key, entry, { part_ids });
      expect(await dyingBefore(request, complete)).toBe(request < requests);

      const { file_id = '' } = await complete();

      expect((await listFiles(key)).data.map(({ id }) => id)).toEqual([file_id]);
      expect(await textOf(await requireFile(key, file_id))).toBe('ab');
      expect(await usageOf(key)).toMatchObject({ files: 1, bytes: 2 });
      await deleteFile(key, file_id);
      expect(await objectsOfKey(key)).toEqual([]);
    }
  });

  it('is gone once it is swept, wherever its cancellation dies', async () => {
    const counted = await begin(2, {}, 'key_cancelled');
    const requests = await requestsOf(() => cancelUpload('key_cancelled', counted.entry));
    for (let request = 0; request <= requests; request += 1) {
      const { entry } = await begin(2);
      await send(entry, ['a']);
      await dyingBefore(request, () => cancelUpload(key, entry));

      pass(hourMs);
      await sweepFiles();

      expect(await usageOf(key)).toMatchObject(nothing);
      expect(await objectsOfKey(key)).toEqual([]);
    }
  });

  it('gives its file the life that was asked for', async () => {
    const { entry } = await begin(1, { purpose: 'user_data', expiresAfterSeconds: 3600 });
    const { file_id = '' } = await completeUpload(key, entry, {
      part_ids: await send(entry, ['a']),
    });

    pass(dayMs);
    await sweepFiles();

    expect(await objectsOfKey(key)).toEqual([]);
    expect(await usageOf(key)).toMatchObject(nothing);
    expect(file_id).toMatch(/^file-/);
  });
});

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFile } from '../../shared/files/create-file.ts';
import { deleteFile } from '../../shared/files/delete-file.ts';
import { findStoredFile, newFileId, toFileObject } from '../../shared/files/file.ts';
import { findFile } from '../../shared/files/find-file.ts';
import { listFiles } from '../../shared/files/list-files.ts';
import { usageOf } from '../../shared/files/quota.ts';
import { sweepFiles } from '../../shared/files/sweep-files.ts';
import { dayMs, minuteMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { dyingBefore, requestsOf } from '../support/worlds/dying.ts';
import { makeFile, objectsOfKey, piecesOf, textOf } from '../support/worlds/files-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
useStoppedClock('2026-11-24T12:00:00.000Z');
let key = '';
beforeEach(() => {
  key = `key_${randomUUID()}`;
  process.env['FILE_QUOTA'] = JSON.stringify({ files: 3, bytes: 100 });
});

const nothing = { files: 0, bytes: 0 };
const namesOf = async (of = key) => (await listFiles(of)).data.map(({ filename }) => filename);

describe('a file', () => {
  it('is read as it was made, from any byte on, and counts', async () => {
    const file = await makeFile(key, 'one\ntwo\nthree\n', { purpose: 'batch' });

    expect(toFileObject(file)).toEqual({
      ...{ id: file.entry, object: 'file', bytes: 14, filename: 'a.jsonl', purpose: 'batch' },
      ...{ created_at: 1_795_521_600, expires_at: 1_795_521_600 + 30 * 86_400 },
      ...{ status: 'processed', status_details: null },
    });
    expect(file.entry).toMatch(/^file-[0-9a-f]{32}$/);
    expect(await findFile(key, file.entry)).toEqual(file);
    expect(await textOf(file)).toBe('one\ntwo\nthree\n');
    expect(await textOf(file, 8)).toBe('three\n');
    expect(await textOf(file, 14)).toBe('');
    expect(await usageOf(key)).toMatchObject({ files: 1, bytes: 14 });
  });

  it('may be empty', async () => {
    expect(await textOf(await makeFile(key, ''))).toBe('');
  });

  it('is nobody else’s', async () => {
    const { entry } = await makeFile(key, 'mine');

    expect(await findFile('key_other', entry)).toBeUndefined();
    expect(await deleteFile('key_other', entry)).toBe(false);
    expect(await namesOf('key_other')).toEqual([]);
    expect(await namesOf()).toEqual(['a.jsonl']);
  });

  it('goes with its bytes when it is deleted, also for who asks again', async () => {
    const { entry } = await makeFile(key, 'gone');

    expect(await deleteFile(key, entry)).toBe(true);

    expect(await findFile(key, entry)).toBeUndefined();
    expect(await namesOf()).toEqual([]);
    expect(await objectsOfKey(key)).toEqual([]);
    expect(await usageOf(key)).toMatchObject(nothing);
    expect(await deleteFile(key, entry)).toBe(true);
    expect(await usageOf(key)).toMatchObject(nothing);
    pass(21 * minuteMs);
    await sweepFiles();
    expect(await findStoredFile(key, entry)).toBeUndefined();
    expect(await deleteFile(key, entry)).toBe(false);
  });

  it.each([
    ['batch', undefined, 30 * dayMs],
    ['batch_output', undefined, 30 * dayMs],
    ['user_data', 3600, 60 * minuteMs],
  ] as const)(
    'of %s with expires_after %s is seen for %d ms, and swept then',
    async (purpose, expiresAfterSeconds, ms) => {
      const { entry } = await makeFile(key, 'old', { purpose, expiresAfterSeconds });
      const stays = await makeFile(key, 'new');

      pass(ms - 1000);
      await sweepFiles();
      expect(await findFile(key, entry)).toBeDefined();
      pass(1000);
      expect(await findFile(key, entry)).toBeUndefined();
      expect(await deleteFile(key, entry)).toBe(false);
      expect((await listFiles(key)).data.map(({ id }) => id)).toEqual([stays.entry]);
      await sweepFiles();

      expect(await objectsOfKey(key)).toEqual([`files/${key}/${stays.entry}/${stays.object}`]);
      expect(await usageOf(key)).toMatchObject({ files: 1, bytes: 3 });
    },
  );

  it('leaves nothing if its content breaks off', async () => {
    async function* broken() {
      yield Buffer.from('some');
      throw new Error('the connection broke');
    }

    const made = createFile(key, { filename: 'a', purpose: 'batch' }, broken());

    await expect(made).rejects.toThrow('the connection broke');
    expect(await namesOf()).toEqual([]);
    expect(await objectsOfKey(key)).toEqual([]);
  });
});

describe('a list', () => {
  it('goes on behind any file, in both orders, by purpose', async () => {
    const ids: string[] = [];
    for (const purpose of ['batch', 'user_data', 'batch'] as const) {
      pass(1000);
      ids.push((await makeFile(key, 'x', { purpose })).entry);
    }
    const [first, second, third] = ids;

    expect(await listFiles(key, { limit: 2 })).toMatchObject({
      ...{ first_id: third, last_id: second, has_more: true },
    });
    expect(await listFiles(key, { limit: 2, after: second })).toMatchObject({
      ...{ first_id: first, last_id: first, has_more: false },
    });
    expect(await listFiles(key, { order: 'asc', after: first })).toMatchObject({
      ...{ first_id: second, last_id: third, has_more: false },
    });
    const { data } = await listFiles(key, { purpose: 'batch', limit: 2 });
    expect(data.map(({ id }) => id)).toEqual([third, first]);
    expect(await listFiles(key, { after: first })).toEqual({
      ...{ object: 'list', data: [], first_id: null, last_id: null, has_more: false },
    });
  });
});

describe('a quota', () => {
  it('refuses a byte too many and a file too many, and has place again after a delete', async () => {
    const large = await makeFile(key, 'x'.repeat(99));

    await expect(makeFile(key, 'xx')).rejects.toMatchObject({
      ...{ statusCode: 400, code: 'file_quota_exceeded' },
    });
    await makeFile(key, 'x');
    await makeFile(key, '');
    await expect(makeFile(key, '')).rejects.toThrow('A key may have 3 files of 0 MB together');
    expect(await usageOf(key)).toMatchObject({ files: 3, bytes: 100 });
    expect((await objectsOfKey(key)).length).toBe(3);

    await deleteFile(key, large.entry);
    await makeFile(key, 'x'.repeat(99));
  });

  it('holds for files that are made at once', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 6 }, () => makeFile(key, 'x'.repeat(40))),
    );

    expect(made.filter(({ status }) => status === 'fulfilled').length).toBe(2);
    expect(await usageOf(key)).toMatchObject({ files: 2, bytes: 80 });
    expect((await objectsOfKey(key)).length).toBe(2);
  });

  it('refuses no results of a batch, which are paid, and counts them', async () => {
    await makeFile(key, 'x'.repeat(200), { purpose: 'batch_output' });

    expect(await usageOf(key)).toMatchObject({ files: 1, bytes: 200 });
    await expect(makeFile(key, 'x')).rejects.toThrow('A key may have');
  });
});

describe('whoever dies', () => {
  /** Each request before which it may die, and one death that doesn't come. */
  const each = (count: number) => Array.from({ length: count + 1 }, (_, index) => index);

  it('while a file is made leaves nothing, and no other of the same id is made twice', async () => {
    const requests = await requestsOf(() => makeFile('key_counted', 'whole'));
    for (const request of each(requests)) {
      const id = newFileId();
      const died = await dyingBefore(request, () => makeFile(key, 'whole', { id }));
      expect(died).toBe(request < requests);

      const again = await makeFile(key, 'whole', { id });

      expect(again.entry).toBe(id);
      expect(await textOf(again)).toBe('whole');
      expect(await usageOf(key)).toMatchObject({ files: 1, bytes: 5 });
      expect(await objectsOfKey(key)).toEqual([`files/${key}/${id}/${again.object}`]);
      await deleteFile(key, id);
      expect(await dyingBefore(request, () => makeFile(key, 'never'))).toBe(request < requests);
      pass(17 * minuteMs);
      await sweepFiles();
      for (const { id: left } of (await listFiles(key)).data) await deleteFile(key, left);
      expect(await objectsOfKey(key)).toEqual([]);
      expect(await usageOf(key)).toMatchObject(nothing);
    }
  });

  it('while a file is deleted leaves it whole, or gone once it is swept', async () => {
    const counted = await makeFile('key_counted', 'whole');
    const requests = await requestsOf(() => deleteFile('key_counted', counted.entry));
    for (const request of each(requests)) {
      const file = await makeFile(key, 'whole');
      await dyingBefore(request, () => deleteFile(key, file.entry));
      const seen = await findFile(key, file.entry);
      if (seen) {
        expect(await textOf(seen)).toBe('whole');
        await deleteFile(key, file.entry);
      }
      expect(await usageOf(key)).toMatchObject(nothing);
      pass(minuteMs);
      await sweepFiles();
      expect(await objectsOfKey(key)).toEqual([]);
    }
  });
});

it('is made of content that is read only if there is no file of its id yet', async () => {
  const id = newFileId();
  await makeFile(key, 'first', { id });
  const content = piecesOf('second');

  const again = await createFile(key, { id, filename: 'b', purpose: 'batch' }, content);

  expect(again.filename).toBe('a.jsonl');
  expect(await content.next()).toMatchObject({ done: false });
});

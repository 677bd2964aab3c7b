import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../shared/http/caller.ts';
import { greyJpeg } from '../../support/fixtures/small-documents.ts';
import { pass, useFreshHour } from '../../support/worlds/clock.ts';
import { usdPerPage, useOf } from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

useFreshHour();

let scans = 0;

/** Submits a scan of its own; answers its name and its job's id. */
async function submit(caller: Caller, rest: object = {}) {
  const name = `scan-${++scans}.jpg`;
  const drive = { file_id: await world.add(name, await greyJpeg(40 + scans)) };
  const { id } = await world.submit(caller, { job_type: 'ocr', drive, ...rest });
  return { name, id };
}

/** Works until the job has ended, however often it has to wait. */
async function finish(caller: Caller, id: string) {
  await world.work();
  for (let round = 0; round < 12; round += 1) {
    const job = await world.read(caller, id);
    if (job.status !== 'queued') return job;
    pass(120_000);
    await world.sweep();
  }
  throw new Error(`the job ${id} doesn't end`);
}

const resultsOf = (name: string) =>
  readdirSync(world.drive.folder).filter((each) => each.startsWith(`${name}.`));

const once = { pages: 1, held: 0, used: usdPerPage, images: 1 };
/** Asks again at once. */
const headers = { 'retry-after': '0' };

describe('a result', () => {
  it.each([
    ['the opening of its upload', { method: 'POST', path: '/upload' }],
    ['its upload', { method: 'PUT', path: '/upload' }],
  ])('is one file where the answer to %s is lost', { tags: 'exhaustive' }, async (_, match) => {
    const caller = await world.newCaller();
    const { id, name } = await submit(caller);
    await world.drive.fault({ match, afterDone: true, status: 503, headers });

    const job = await finish(caller, id);

    expect(job).toMatchObject({ status: 'done', error: null });
    expect(resultsOf(name)).toEqual([`${name}.ocr.md`]);
    expect(job.drive_result_file_id).toBe(await world.idOf(`${name}.ocr.md`));
  });

  it('is one file where the worker tries again after all that it sent', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller();
    const { id, name } = await submit(caller);
    // The mark on the source is what comes after the upload.
    await world.drive.fault({ match: { method: 'PATCH' }, times: 5, status: 503, headers });

    const job = await finish(caller, id);

    expect(job).toMatchObject({ status: 'done', error: null, retry_count: 1 });
    expect(resultsOf(name)).toEqual([`${name}.ocr.md`]);
    expect(await useOf(caller)).toMatchObject({ pages: 1, used: usdPerPage });
  });

  it.each([
    ['storageQuotaExceeded', /^drive_quota_exceeded: .*shared drive/],
    ['insufficientFilePermissions', /^drive_forbidden: .*as editor/],
  ])('that the drive refuses with %s is kept, and its job done', async (reason, error) => {
    const caller = await world.newCaller();
    const { id, name } = await submit(caller);
    await world.drive.fault({ match: { method: 'POST', path: '/upload' }, reason });

    const job = await finish(caller, id);

    expect(job).toMatchObject({
      status: 'done',
      error: expect.stringMatching(error),
      drive_result_file_id: null,
      retry_count: 0,
      result: { type: 'ocr', images_used: 1 },
    });
    expect(resultsOf(name)).toEqual([]);
  });

  it('that the drive takes on no try is kept, and its job done', async () => {
    const caller = await world.newCaller();
    const { id } = await submit(caller, { max_retries: 1 });
    const match = { method: 'POST', path: '/upload' };
    await world.drive.fault({ match, times: 10, status: 503, headers });

    const job = await finish(caller, id);

    expect(job).toMatchObject({
      status: 'done',
      retry_count: 1,
      error: expect.stringMatching(/^drive_unavailable: /),
      drive_result_file_id: null,
      result: { type: 'ocr', images_used: 1 },
    });
    expect(await useOf(caller)).toMatchObject({ pages: 1, used: usdPerPage });
  });
});

describe('a source', () => {
  it('is read although the drive limits the rate in between', async () => {
    const caller = await world.newCaller();
    const { id } = await submit(caller);
    const reasons = ['userRateLimitExceeded', 'rateLimitExceeded', 'backendError'];
    await world.drive.fault(
      ...reasons.map((reason) => ({ match: { path: '/drive/v3/files' }, reason, headers })),
      ...reasons.map((reason) => ({ match: { path: '/upload' }, reason, headers })),
    );

    const job = await finish(caller, id);

    expect(job).toMatchObject({ status: 'done', error: null, retry_count: 0 });
    expect(await useOf(caller)).toEqual(once);
  });

  it('whose download breaks off in the middle is fetched again', async () => {
    const caller = await world.newCaller();
    const { id } = await submit(caller);
    await world.drive.fault({ match: { method: 'GET', path: 'alt=media' }, cutAfterBytes: 100 });

    await world.work();
    const waiting = await world.read(caller, id);
    const job = await finish(caller, id);

    expect(waiting).toMatchObject({ status: 'queued', retry_count: 1 });
    expect(waiting.error).toMatch(/^drive_unavailable: /);
    expect(job).toMatchObject({ status: 'done', error: null, retry_count: 1 });
    expect(await useOf(caller)).toMatchObject({ pages: 1, used: usdPerPage });
  });

  it('longer than one part of a copy is copied whole, or again', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller();
    const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Hi' }] };
    const line = (id: string) => JSON.stringify({ custom_id: id, body }) + ' '.repeat(6_000_000);
    const drive = { file_id: await world.add('long.jsonl', `${line('a')}\n${line('b')}`) };
    const match = { method: 'GET', path: 'alt=media' };
    await world.drive.fault({ match, cutAfterBytes: 7_000_000 });

    const { id } = await world.submit(caller, { job_type: 'chat', drive });

    expect(await finish(caller, id)).toMatchObject({
      status: 'done',
      retry_count: 1,
      result: { type: 'chat_batch', lines: { total: 2, completed: 2, failed: 0 } },
    });
  });

  it('that the drive never gives fails the job with what the drive said', async () => {
    const caller = await world.newCaller();
    const { id } = await submit(caller, { max_retries: 1 });
    const match = { method: 'GET', path: 'alt=media' };
    await world.drive.fault({ match, times: 10, status: 503, headers });

    const job = await finish(caller, id);

    expect(job).toMatchObject({ status: 'failed', retry_count: 1, result: null });
    expect(job.error).toMatch(/^drive_unavailable: /);
    expect(await useOf(caller)).toMatchObject({ pages: 0, used: 0 });
  });
});

import { expect, it } from 'vitest';
import type { Caller } from '../../../shared/http/caller.ts';
import type { FolderResult } from '../../../shared/jobs/results/result.ts';
import { listJobs } from '../../../shared/jobs/routes/read.ts';
import { retryCallersJob } from '../../../shared/jobs/routes/retry.ts';
import { cancelJob, stopCallersJob } from '../../../shared/jobs/routes/stop.ts';
import { limitsOf } from '../../../shared/keys/key-limits.ts';
import { smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { useFreshHour } from '../../support/worlds/clock.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

useFreshHour();

const good = await smallPdf([{ words: words(1) }]);

let folders = 0;

/** A folder of its own with these files, and a caller who may read it. */
async function newFolder(files: Record<string, Uint8Array | string>) {
  const path = `retried-${++folders}`;
  for (const [name, content] of Object.entries(files)) world.drive.put(`${path}/${name}`, content);
  return { path, drive: { folder_id: await world.idOf(path) }, caller: await world.newCaller() };
}

/** Retries a job, and reads the new one once all is done. */
async function retried(caller: Caller, id: string) {
  const { id: newId } = await retryCallersJob(caller, id);
  await world.work();
  const job = await world.read(caller, newId);
  const { jobs } = await listJobs(caller, { parent_job_id: newId });
  return { job, files: jobs.map(({ filename }) => filename).toSorted() };
}

it('a failed job is done by a new one, once what was wrong is put right', {
  tags: 'exhaustive',
}, async () => {
  const caller = await world.newCaller();
  const file_id = await world.add('broken.pdf', '%PDF-1.7');
  const asked = { job_type: 'ocr', drive: { file_id }, priority: 7, max_retries: 1 };
  const { id } = await world.submit(caller, asked);
  await world.work();
  const failed = await world.read(caller, id);
  world.drive.put('broken.pdf', good);

  const { job } = await retried(caller, id);

  expect(failed.status).toBe('failed');
  expect(job).toMatchObject({
    status: 'done',
    error: null,
    filename: 'broken.pdf',
    drive_file_id: file_id,
    retry_of: id,
    priority: 7,
    max_retries: 1,
    result: { type: 'ocr', page_count: 1 },
  });
  expect(await world.read(caller, id)).toEqual(failed);
});

it('a pipeline keeps its instruction, and a conversation its messages', {
  tags: 'exhaustive',
}, async () => {
  const caller = await world.newCaller();
  const content = 'x'.repeat(150_000);
  const { id } = await world.submit(caller, {
    job_type: 'chat',
    inline: { messages: [{ role: 'user', content }] },
  });
  const drive = { file_id: await world.add('piped.pdf', good) };
  const pipeline = { pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' };
  const piped = await world.submit(caller, { job_type: 'ocr', drive, ...pipeline });
  for (const each of [id, piped.id]) await cancelJob(caller, each);

  const chat = await retried(caller, id);
  const summed = await retried(caller, piped.id);

  expect(chat.job).toMatchObject({ status: 'done', result: { content: `echo: ${content}` } });
  expect(summed.job).toMatchObject({
    status: 'done',
    result: { chat: { content: expect.stringMatching(/^echo: Sum up\.\n\nThese words/) } },
  });
});

it('a job that was to read anew does so when it is tried again', {
  tags: 'exhaustive',
}, async () => {
  const caller = await world.newCaller();
  const drive = { file_id: await world.add('read-before.pdf', await smallPdf([{ grey: 70 }])) };
  await world.submit(caller, { job_type: 'ocr', drive });
  await world.work();
  const { id } = await world.submit(caller, { job_type: 'ocr', drive, fresh: true });
  await cancelJob(caller, id);

  const { job } = await retried(caller, id);

  expect(job).toMatchObject({ status: 'done', result: { images_used: 1 } });
});

it('a folder is done for its failed files alone', async () => {
  const { path, drive, caller } = await newFolder({
    'good.pdf': good,
    'bad.pdf': '%PDF-1.7',
    'film.mp4': '\0\0\0\x18ftypmp42',
  });
  const { id } = await world.submit(caller, { job_type: 'auto', drive });
  await world.work();
  world.drive.put(`${path}/bad.pdf`, good);
  world.drive.put(`${path}/new.pdf`, good);

  const { job, files } = await retried(caller, id);

  expect(job).toMatchObject({ status: 'done', input_type: 'drive_folder', retry_of: id });
  expect((job.result as FolderResult).files).toMatchObject({ found: 1, done: 1, unsupported: 0 });
  expect(files).toEqual(['bad.pdf']);
  await expect(retryCallersJob(caller, job.id)).rejects.toThrow(/this one is done/);
});

it('a folder that was stopped goes on with the files that it had not done', async () => {
  const { drive, caller } = await newFolder({ 'one.pdf': good, 'two.pdf': good });
  const { id } = await world.submit(caller, { job_type: 'auto', drive });
  await world.runOnly('folder');
  await stopCallersJob(caller, id);
  await world.work();

  const { job, files } = await retried(caller, id);

  expect((job.result as FolderResult).files).toMatchObject({ found: 2, done: 2 });
  expect(files).toEqual(['one.pdf', 'two.pdf']);
});

it('a folder that was cancelled before it began is listed as for the first time', async () => {
  const { drive, caller } = await newFolder({ 'one.pdf': good });
  const { id } = await world.submit(caller, { job_type: 'auto', drive });
  await cancelJob(caller, id);

  const { files } = await retried(caller, id);

  expect(files).toEqual(['one.pdf']);
});

it('asked for many times at once is made once, and may be retried itself', async () => {
  const caller = await world.newCaller();
  const file_id = await world.add('many-times.pdf', '%PDF-1.7');
  const { id } = await world.submit(caller, { job_type: 'ocr', drive: { file_id } });
  await world.work();

  const records = await Promise.all(Array.from({ length: 10 }, () => retryCallersJob(caller, id)));
  await world.work();
  const again = await retryCallersJob(caller, records[0]?.id ?? '');

  expect(new Set(records.map((record) => record.id)).size).toBe(1);
  expect(again.id).not.toBe(records[0]?.id);
  expect(again.retry_of).toBe(records[0]?.id);
});

it('is refused for a model that the key has lost', async () => {
  const caller = await world.newCaller();
  const chat = { job_type: 'chat', inline: { messages: [{ role: 'user', content: 'Hi' }] } };
  const { id } = await world.submit(caller, { ...chat, model: 'gpt-4.1' });
  await cancelJob(caller, id);
  const limits = JSON.stringify({ ...limitsOf(caller), models: ['gpt-5-mini'] });

  const refused = retryCallersJob({ ...caller, limits }, id);

  await expect(refused).rejects.toThrow('This API key may not use gpt-4.1 any more.');
});

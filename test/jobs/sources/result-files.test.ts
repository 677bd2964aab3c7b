import { expect, it } from 'vitest';
import { findFile } from '../../../shared/files/find-file.ts';
import { listFiles } from '../../../shared/files/list-files.ts';
import { usageOf } from '../../../shared/files/quota.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { eraseCallersJob } from '../../../shared/jobs/routes/erase-job.ts';
import { listJobs } from '../../../shared/jobs/routes/read.ts';
import { smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { batchesIn, requestLine } from '../../support/worlds/batch-world.ts';
import { useFreshHour } from '../../support/worlds/clock.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';
import { makeFile, textOf } from '../../support/worlds/files-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);
useFreshHour();

const chat = (content: string) => ({
  job_type: 'chat',
  inline: { messages: [{ role: 'user', content }] },
});

/** Runs a job; returns its record and the file of its result. */
async function run(caller: Caller, body: object) {
  const { id, result_file_id } = await world.submit(caller, body);
  expect(result_file_id).toBeNull();
  await world.work();
  const record = await world.read(caller, id);
  const file = await findFile(caller.keyId, record.result_file_id ?? '');
  if (!file) throw new Error(`${record.status} ${record.error}: the result is no file`);
  return { record, file, text: await textOf(file) };
}

const fileOf = async (caller: Caller, filename: string, text: string) =>
  (await makeFile(caller.keyId, text, { filename })).entry;

it('of a chat is its answer, as a file that counts for nothing and is in no list', async () => {
  const caller = await world.newCaller();

  const { record, file, text } = await run(caller, chat('Hi'));

  expect(text).toBe('echo: Hi');
  expect(await textOf(file, 6)).toBe('Hi');
  expect(file).toMatchObject({
    ...{ entry: expect.stringMatching(/^file-[0-9a-f]{32}$/), purpose: 'job_result', bytes: 8 },
    ...{ filename: `${record.id}.result.md`, status: 'ready' },
  });
  expect((await listJobs(caller, {})).jobs[0]?.result_file_id).toBe(file.entry);
  expect((await listFiles(caller.keyId)).data).toEqual([]);
  expect(await usageOf(caller.keyId)).toEqual({ files: 0, bytes: 0 });
});

it('of a document is its text, of a pipeline the answer about it', async () => {
  const caller = await world.newCaller();
  world.drive.put('results/scan.pdf', await smallPdf([{ words: words(1) }]));
  const drive = { file_id: await world.idOf('scan.pdf') };

  const ocr = await run(caller, { job_type: 'ocr', drive });
  const pipeline = await run(caller, {
    ...{ job_type: 'ocr', drive, pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' },
  });

  expect(ocr.record.result).toMatchObject({ type: 'ocr', text: ocr.text });
  expect(ocr.file.filename).toBe('scan.pdf.ocr.md');
  expect(pipeline.record.result).toMatchObject({ chat: { content: pipeline.text } });
});

it('of a file of requests is its lines, short or long', async () => {
  const caller = await world.newCaller();
  const long = 'x'.repeat(100_000);
  const lines = (content: string) =>
    [1, 2, 3, 4].map((at) => requestLine(`${at}`, `${content} ${at}`)).join('\n');

  for (const content of ['short', long]) {
    const { file, text } = await run(caller, {
      job_type: 'chat',
      file_id: await fileOf(caller, 'requests.jsonl', lines(content)),
    });

    expect(file.filename).toBe('requests.jsonl.result.jsonl');
    expect(file.bytes).toBe(Buffer.byteLength(text));
    const ids = text.trimEnd().split('\n');
    expect(ids.map((line) => JSON.parse(line).custom_id)).toEqual(['1', '2', '3', '4']);
    expect(await textOf(file, file.bytes - 5)).toBe(text.slice(-5));
  }
});

it('of a folder is its figures; those of its files go with it', async () => {
  const caller = await world.newCaller();
  world.drive.put('result-folder/one.txt', 'Words.');
  const drive = { folder_id: await world.idOf('result-folder') };

  const { record, text } = await run(caller, { job_type: 'auto', drive });

  expect(JSON.parse(text)).toEqual(record.result);
  const [child] = (await listJobs(caller, { parent_job_id: record.id })).jobs;
  expect(await findFile(caller.keyId, child?.result_file_id ?? '')).toBeDefined();
  await eraseCallersJob(caller, record.id);
  expect(await findFile(caller.keyId, child?.result_file_id ?? '')).toBeUndefined();
});

it('is what another job works on', async () => {
  const caller = await world.newCaller();
  const first = await run(caller, chat('The pump was replaced in May.'));

  const second = await run(caller, { job_type: 'chat', file_id: first.file.entry });

  expect(second.record).toMatchObject({ filename: first.file.filename, status: 'done' });
  expect(second.text).toContain('The pump was replaced in May.');
});

it('is nobody else’s, and gone when its job is deleted', async () => {
  const [caller, other] = [await world.newCaller(), await world.newCaller()];
  const { record, file } = await run(caller, chat('Hi'));

  expect(await findFile(other.keyId, file.entry)).toBeUndefined();
  await expect(
    world.submit(other, { job_type: 'chat', file_id: file.entry }),
  ).rejects.toMatchObject({ statusCode: 422 });
  await eraseCallersJob(caller, record.id);
  expect(await findFile(caller.keyId, file.entry)).toBeUndefined();
});

it('of a batch is named by the batch', async () => {
  const caller = await world.newCaller();

  const batch = await batches.run(caller, [requestLine('one', 'Hi')]);

  expect(await world.read(caller, batches.jobIdOf(batch))).toMatchObject({ result_file_id: null });
});

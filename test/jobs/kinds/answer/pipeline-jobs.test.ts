import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { PipelineResult } from '../../../../shared/jobs/results/result.ts';
import { listJobs } from '../../../../shared/jobs/routes/read.ts';
import { cancelJob } from '../../../../shared/jobs/routes/stop.ts';
import { greyJpeg, imagePart, smallPdf, words } from '../../../support/fixtures/small-documents.ts';
import { minuteMs, pass, stopClock } from '../../../support/worlds/clock.ts';
import { usdPerPage, useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

const pipeline = { pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' };

async function submit(
  caller: Caller,
  name: string,
  content: Uint8Array,
  rest: object = {},
): Promise<string> {
  const drive = { file_id: await world.add(name, content) };
  const task = { job_type: 'ocr', drive, ...pipeline, ...rest };
  return (await world.submit(caller, task)).id;
}

async function chatStepOf(caller: Caller, parent_job_id: string) {
  const { jobs } = await listJobs(caller, { parent_job_id });
  expect(jobs).toHaveLength(1);
  const [step] = jobs;
  if (!step) throw new Error('there is no chat step');
  return step;
}

describe('a pipeline', () => {
  it('started when its reading did, and not when its chat step had ended', {
    tags: 'exhaustive',
  }, async () => {
    stopClock();
    const caller = await world.newCaller();
    const id = await submit(caller, 'timed.pdf', await smallPdf([{ grey: 45 }]));
    await world.dispatch();
    await world.runOnly('ocr');
    const { started_at } = await world.read(caller, id);

    pass(minuteMs);
    await world.work();

    expect(await world.read(caller, id)).toMatchObject({ status: 'done', started_at });
  });

  it('answers with what was read and what the model said of it, beside the source', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller();
    const asked = world.model.requests.length;
    const pdf = await smallPdf([{ grey: 40 }, { words: words(2) }]);

    const id = await submit(caller, 'piped.pdf', pdf);
    await world.work();

    const job = await world.read(caller, id);
    const resultId = await world.idOf('piped.pdf.result.md');
    expect(job).toMatchObject({
      status: 'done',
      error: null,
      model: 'textract',
      drive_result_file_id: resultId,
      ...pipeline,
    });
    const { ocr, chat, cost_usd } = job.result as PipelineResult;
    expect(ocr).toMatchObject({ type: 'ocr', page_count: 2, images_used: 1, cost_usd: usdPerPage });
    expect(chat).toMatchObject({ type: 'chat', content: `echo: Sum up.\n\n${ocr.text}` });
    expect(await world.contentOf(resultId)).toContain(`\n---\n\n${chat?.content}`);
    await expect(world.idOf('piped.pdf.ocr.md')).rejects.toThrow('0 files');
    expect(world.model.requests.length - asked).toBe(1);
    expect(await useOf(caller)).toEqual({ pages: 1, held: 0, used: cost_usd, images: 1 });
    const tags = (await chargesOf(caller.keyId)).map((charge) => charge.tags);
    expect(tags).toEqual([
      ['batch', 'batch:pipeline'],
      ['batch', 'batch:pipeline'],
    ]);
  });

  it('has its chat as a job of its own', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    const id = await submit(caller, 'stepped.jpg', await greyJpeg(50), { priority: 3 });

    await world.work();

    const step = await chatStepOf(caller, id);
    expect(step).toMatchObject({
      status: 'done',
      job_type: 'chat',
      model: 'gpt-5-mini',
      priority: 3,
      filename: 'stepped.jpg',
      pipeline: null,
      parent_job_id: id,
      result: { type: 'chat', content: 'echo: Sum up.\n\ngrey 50' },
    });
  });

  it.each([
    ['chat', { model: 'gpt-4.1-mini' }, ['textract', 'gpt-4.1-mini']],
    ['ocr', { model: 'gpt-4.1-mini' }, ['gpt-4.1-mini', 'gpt-5-mini']],
    ['ocr', { model: 'textract-layout' }, ['textract-layout', 'gpt-5-mini']],
    ['auto', { model: 'gpt-4.1-mini' }, ['textract', 'gpt-4.1-mini']],
    ['auto', {}, ['textract', 'gpt-5-mini']],
  ])('of type %s with %j runs on the models that this means', async (job_type, model, expected) => {
    const caller = await world.newCaller();

    const id = await submit(caller, 'modelled.jpg', await greyJpeg(60), { job_type, ...model });
    await world.work();

    expect(await world.read(caller, id)).toMatchObject({
      status: 'done',
      result: { type: 'pipeline' },
    });
    expect((await chargesOf(caller.keyId)).map((charge) => charge.model)).toEqual(expected);
  });

  it('reads images that the message itself carries', async () => {
    const caller = await world.newCaller();
    const content = [await imagePart(40), await imagePart(70)];
    const inline = { messages: [{ role: 'user', content }] };

    const { id } = await world.submit(caller, { job_type: 'chat', inline, ...pipeline });
    await world.work();

    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'done', drive_result_file_id: null, filename: null });
    const { ocr, chat } = job.result as PipelineResult;
    expect(ocr.pages.map(({ text }) => text)).toEqual(['grey 40', 'grey 70']);
    expect(chat?.content).toBe('echo: Sum up.\n\ngrey 40\n\ngrey 70');
  });

  it('without an instruction puts the text alone to the model', async () => {
    const caller = await world.newCaller();
    const rest = { pipeline_instruction: null };

    const id = await submit(caller, 'silent.jpg', await greyJpeg(80), rest);
    await world.work();

    expect((await world.read(caller, id)).result).toMatchObject({
      chat: { content: 'echo: grey 80' },
    });
  });

  it('reads a document in parts before it asks', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    const pages = Array.from({ length: 55 }, (_, at) => ({ words: words(at + 1) }));
    const asked = world.model.requests.length;

    const id = await submit(caller, 'parted.pdf', await smallPdf(pages));
    await world.work();

    const { ocr, chat } = (await world.read(caller, id)).result as PipelineResult;
    expect(ocr.pages).toHaveLength(55);
    expect(chat?.content).toBe(`echo: Sum up.\n\n${ocr.text}`);
    expect(world.model.requests.length - asked).toBe(1);
    await chatStepOf(caller, id);
  });
});

describe('a pipeline whose chat', () => {
  it('is refused by the model fails, and keeps what was read', { tags: 'exhaustive' }, async () => {
    const caller = await world.newCaller();
    world.model.respond({ kind: 'status', status: 400 });

    const id = await submit(caller, 'refused.jpg', await greyJpeg(90));
    await world.work();

    expect(await world.read(caller, id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^chat_step_failed: invalid_request_error: /),
      result: { type: 'pipeline', ocr: { text: 'grey 90' }, chat: null, cost_usd: usdPerPage },
    });
    expect(await useOf(caller)).toEqual({ pages: 1, held: 0, used: usdPerPage, images: 1 });
  });

  it('is cancelled fails, and keeps what was read', async () => {
    const caller = await world.newCaller();
    const id = await submit(caller, 'cancelled.jpg', await greyJpeg(100));
    await world.runOnly('ocr');
    await world.dispatch();
    expect((await world.read(caller, id)).status).toBe('processing');

    await cancelJob(caller, (await chatStepOf(caller, id)).id);
    await world.work();

    expect(await world.read(caller, id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^chat_step_failed: .*cancelled/),
      result: { ocr: { text: 'grey 100' }, chat: null },
    });
  });

  it('never begins where nothing could be read', async () => {
    const caller = await world.newCaller();
    await world.failTextract({ times: 1, type: 'BadDocumentException', status: 400 });
    const asked = world.model.requests.length;

    const id = await submit(caller, 'unread.jpg', await greyJpeg(110));
    await world.work();

    expect(await world.read(caller, id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^unreadable_document: /),
    });
    expect(world.model.requests.length).toBe(asked);
  });

  it('result the drive refuses is done all the same, and says so', async () => {
    const caller = await world.newCaller();
    const id = await submit(caller, 'full.jpg', await greyJpeg(120));
    await world.drive.fault({
      match: { method: 'POST', path: '/upload' },
      reason: 'storageQuotaExceeded',
    });

    await world.work();

    expect(await world.read(caller, id)).toMatchObject({
      status: 'done',
      error: expect.stringMatching(/^drive_quota_exceeded: /),
      drive_result_file_id: null,
      result: { chat: { content: 'echo: Sum up.\n\ngrey 120' } },
    });
  });
});

it('a text too long for an answer is behind a link, in the pipeline as alone', {
  tags: 'exhaustive',
}, async () => {
  const caller = await world.newCaller();
  const long = 'wörter '.repeat(45_000).trim();
  world.model.respond(({ messages }) =>
    JSON.stringify(messages).includes('image_url')
      ? { kind: 'answer', content: long }
      : { kind: 'answer', content: 'Many words.' },
  );

  const id = await submit(caller, 'wordy.jpg', await greyJpeg(130), { model: 'gpt-4.1-mini' });
  await world.work();

  const job = await world.read(caller, id);
  const { ocr, chat } = job.result as PipelineResult & { ocr: { url: string } };
  expect(ocr).toMatchObject({ text: null, pages: [{ page: 1, text: null }] });
  expect(chat?.content).toBe('Many words.');
  const answer = await fetch(ocr.url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; *charset=utf-8/);
  expect(await answer.text()).toBe(long);
  const { jobs } = await listJobs(caller, { status: 'done' });
  const listed = jobs.find((each) => each.id === id)?.result as PipelineResult;
  expect(listed.ocr).not.toHaveProperty('url');
  expect(listed.ocr.text).toBeNull();
});

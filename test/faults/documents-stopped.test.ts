import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../shared/http/caller.ts';
import { leaseMs } from '../../shared/jobs/engine/item/job.ts';
import type { QueueName } from '../../shared/jobs/engine/item/queue-shards.ts';
import { runChatJob } from '../../shared/jobs/kinds/chat-queue.ts';
import { runOcrJob } from '../../shared/jobs/kinds/ocr-queue.ts';
import type { ChatBatchResult, ChatResult, OcrResult } from '../../shared/jobs/results/result.ts';
import { claimBest } from '../../shared/jobs/work/claim-jobs.ts';
import { runLeased } from '../../shared/jobs/work/run-leased.ts';
import { readGrey, smallPdf } from '../support/fixtures/small-documents.ts';
import { gate } from '../support/servers/model-stub-pieces.ts';
import { pass, useFreshHour } from '../support/worlds/clock.ts';
import { expectBalanced, expectPaid, useOf } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { chargesOf, sum } from '../support/worlds/ledger-world.ts';

/** What a caller paid, in nano-dollars, for prompts that were taken and whose answers were given up. */
async function unansweredCost({ keyId }: Caller): Promise<number> {
  const prompts = (await chargesOf(keyId)).filter(({ figures }) => figures === 'estimated');
  expect(prompts.every(({ completion_tokens }) => completion_tokens === 0)).toBe(true);
  expect(prompts.length).toBeGreaterThan(0);
  return sum(prompts.map(({ cost = 0 }) => cost));
}

/** What happens before a page is read. */
let beforePage: () => Promise<void>;

const world = await useDocumentWorld(async (image) => {
  await beforePage();
  return readGrey(image);
});

useFreshHour();
beforeEach(() => {
  beforePage = async () => {};
});

const runs = { ocr: runOcrJob, chat: runChatJob };

/** Runs the one job that is ready, until `timeIsUp`. */
async function start(lane: QueueName & keyof typeof runs, timeIsUp: AbortSignal): Promise<void> {
  await world.dispatch();
  const [job, another] = await claimBest(`${lane}#0`, 2);
  if (!job || another) throw new Error('one job should be ready');
  await runLeased(job, runs[lane], timeIsUp);
}

async function submit(caller: Caller, name: string, content: Uint8Array | string, rest: object) {
  const drive = { file_id: await world.add(name, content) };
  return (await world.submit(caller, { drive, ...rest })).id;
}

const inTime = new AbortController().signal;
const greys = (count: number) => Array.from({ length: count }, (_, at) => ({ grey: 20 + 10 * at }));

describe('a worker whose time is up', () => {
  it('leaves the pages it has read to the next one, and no retry is counted', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller();
    const id = await submit(caller, 'hurried.pdf', await smallPdf(greys(12)), { job_type: 'ocr' });
    const time = new AbortController();
    let begun = 0;
    beforePage = async () => {
      begun += 1;
      if (begun === 10) time.abort();
      if (begun >= 10) await new Promise(() => {});
    };

    await start('ocr', time.signal);

    expect(await world.read(caller, id)).toMatchObject({
      status: 'queued',
      error: null,
      retry_count: 0,
    });
    const { pages, images, held } = await useOf(caller);
    expect(pages).toBeGreaterThan(0);
    expect({ images, held }).toEqual({ images: pages, held: 0 });
    beforePage = async () => {};
    await world.work();
    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'done', retry_count: 0, result: { images_used: 12 } });
    expect((await useOf(caller)).images).toBe(12);
    await expectPaid([caller], 12);
  });

  it('with nothing done has used one of its tries', async () => {
    const caller = await world.newCaller();
    const rest = { job_type: 'ocr', max_retries: 0 };
    const id = await submit(caller, 'stuck.pdf', await smallPdf(greys(1)), rest);
    const time = new AbortController();
    beforePage = async () => {
      time.abort();
      await new Promise(() => {});
    };

    await start('ocr', time.signal);

    const { status, error } = await world.read(caller, id);
    expect(status).toBe('failed');
    expect(error).toMatch(/^timeout: /);
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });

  it('leaves the lines it has answered to the next one', async () => {
    const caller = await world.newCaller();
    const line = (content: string) =>
      JSON.stringify({
        custom_id: content,
        body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content }] },
      });
    const names = ['slow', ...Array.from({ length: 11 }, (_, at) => `line ${at}`)];
    const jsonl = names.map(line).join('\n');
    const id = await submit(caller, 'hurried.jsonl', jsonl, { job_type: 'chat' });
    world.model.respond(({ messages }) =>
      messages[0]?.content === 'slow' ? { kind: 'hang' } : undefined,
    );
    const time = new AbortController();
    const asked = world.model.requests.length;

    const stopped = start('chat', time.signal);
    // The ninth is asked once one of the first eight is answered.
    await world.model.requestCount(asked + 9);
    time.abort();
    await stopped;

    expect(await world.read(caller, id)).toMatchObject({
      status: 'queued',
      error: null,
      retry_count: 0,
    });
    world.model.respond([]);
    await world.work();
    const { status, result } = await world.read(caller, id);
    const { lines, cost_usd } = result as ChatBatchResult;
    expect({ status, lines }).toEqual({
      status: 'done',
      lines: { total: 12, completed: 12, failed: 0 },
    });
    const unanswered = await unansweredCost(caller);
    expect(Math.round((await useOf(caller)).used * 1e9)).toBe(
      Math.round(cost_usd * 1e9) + unanswered,
    );
    await expectBalanced([caller]);
  });

  it('leaves the parts of a long document that were answered to the next one', async () => {
    const caller = await world.newCaller();
    const text = 'word '.repeat(150_000);
    const rest = { job_type: 'chat', model: 'gpt-4o-mini' };
    const id = await submit(caller, 'hurried.txt', text, rest);
    const time = new AbortController();
    world.model.respond(({ messages }) => {
      if (String(messages[0]?.content).startsWith('This is part'))
        return { kind: 'answer', content: 'Of a part.' };
      time.abort();
      return { kind: 'hang' };
    });
    const asked = world.model.requests.length;

    await start('chat', time.signal);

    expect(await world.read(caller, id)).toMatchObject({
      status: 'queued',
      error: null,
      retry_count: 0,
    });
    world.model.respond({ kind: 'answer', content: 'Of all.' });
    await world.work();
    const { status, result } = await world.read(caller, id);
    const { content, parts = 0, cost_usd } = result as ChatResult;
    expect({ status, content }).toEqual({ status: 'done', content: 'Of all.' });
    expect(parts).toBeGreaterThan(1);
    expect(world.model.requests.length - asked).toBe(parts + 2);
    const unanswered = await unansweredCost(caller);
    expect(Math.round((await useOf(caller)).used * 1e9)).toBe(
      Math.round(cost_usd * 1e9) + unanswered,
    );
  });
});

it('a worker that has lost its lease to another reads, charges and writes nothing twice', async () => {
  const caller = await world.newCaller();
  const id = await submit(caller, 'contested.pdf', await smallPdf(greys(3)), { job_type: 'ocr' });
  const { opened, open } = gate();
  const begun = gate();
  beforePage = async () => {
    begun.open();
    await opened;
  };

  const late = start('ocr', inTime);
  await begun.opened;
  beforePage = async () => {};
  pass(leaseMs + 1_000);
  await world.sweep();
  expect(await world.read(caller, id)).toMatchObject({ status: 'done', retry_count: 0 });
  open();
  await late;

  const job = await world.read(caller, id);
  expect((job.result as OcrResult).pages.map(({ text }) => text)).toEqual([
    'grey 20',
    'grey 30',
    'grey 40',
  ]);
  const results = readdirSync(world.drive.folder).filter((name) =>
    name.startsWith('contested.pdf.'),
  );
  expect(results).toEqual(['contested.pdf.ocr.md']);
  expect(await useOf(caller)).toMatchObject({ pages: 3, held: 0, images: 3 });
  await expectPaid([caller], 3);
});

import { zipSync } from 'fflate';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../shared/http/caller.ts';
import { leaseMs } from '../../../shared/jobs/engine/item/job.ts';
import { runChatJob } from '../../../shared/jobs/kinds/chat-queue.ts';
import type {
  ChatBatchResult,
  FolderResult,
  OcrResult,
} from '../../../shared/jobs/results/result.ts';
import { listJobs } from '../../../shared/jobs/routes/read.ts';
import { stopCallersJob } from '../../../shared/jobs/routes/stop.ts';
import { claimBest } from '../../../shared/jobs/work/claim-jobs.ts';
import { runLeased } from '../../../shared/jobs/work/run-leased.ts';
import { type ApiKey, changeKey } from '../../../shared/keys/key.ts';
import { greyJpeg, readGrey, smallPdf } from '../../support/fixtures/small-documents.ts';
import { gate } from '../../support/servers/model-stub-pieces.ts';
import { pass, useFreshHour } from '../../support/worlds/clock.ts';
import {
  expectBalanced,
  expectPaid,
  usdPerPage,
  useOf,
} from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';
import { runKilled } from '../../support/worlds/killed-workers.ts';
import { chargesOf } from '../../support/worlds/ledger-world.ts';

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

const stoppedError = 'stopped: The job was stopped by its caller.';
const expiredError = 'key_expired: The API key of the job has expired.';
const revokedError = 'key_revoked: The API key of the job was revoked.';
const greys = (count: number) => Array.from({ length: count }, (_, at) => ({ grey: 20 + 10 * at }));

async function submitFile(
  caller: Caller,
  name: string,
  content: Uint8Array | string,
  rest: object,
): Promise<string> {
  const drive = { file_id: await world.add(name, content) };
  return (await world.submit(caller, { drive, ...rest })).id;
}

/** Ends a job, or its key, and lets the second pass after which every worker looks again. */
async function end(how: 'stop' | 'revoke' | 'expire', caller: Caller, id: string): Promise<void> {
  const expires_at = new Date(Date.now()).toISOString();
  if (how === 'stop') await stopCallersJob(caller, id);
  else await changeKey(caller.keyId, how === 'revoke' ? { state: 'revoked' } : { expires_at });
  pass(1_001);
}

const ends = [
  ['that is stopped', 'stop', stoppedError],
  ['whose key is revoked', 'revoke', revokedError],
  ['whose key expires', 'expire', expiredError],
] as const;

it('an archive that is stopped keeps the pages that were paid for', {
  tags: 'exhaustive',
}, async () => {
  const caller = await world.newCaller();
  const scans = zipSync({ 'scans.pdf': await smallPdf(greys(12)) });
  const id = await submitFile(caller, 'scans.zip', scans, { job_type: 'ocr' });
  const { opened, open } = gate();
  let begun = 0;
  beforePage = async () => {
    begun += 1;
    if (begun === 8) void end('stop', caller, id).then(open);
    await opened;
  };

  await world.work();

  const { status, result } = await world.read(caller, id);
  const { page_count, pages, images_used, cost_usd } = result as OcrResult;
  expect({ status, page_count, images_used }).toEqual({
    status: 'cancelled',
    page_count: 12,
    images_used: 8,
  });
  expect(pages).toHaveLength(8);
  expect(await useOf(caller)).toEqual({ pages: 8, held: 0, used: cost_usd, images: 8 });
});

describe.each(ends)('a running job %s', (_, how, error) => {
  it('reads the pages that are under way, begins no other, and keeps them', async () => {
    const caller = await world.newCaller();
    const id = await submitFile(caller, `${how}.pdf`, await smallPdf(greys(12)), {
      job_type: 'ocr',
    });
    const { opened, open } = gate();
    let begun = 0;
    beforePage = async () => {
      begun += 1;
      if (begun === 8) void end(how, caller, id).then(open);
      await opened;
    };

    await world.work();

    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'cancelled', error, progress: null, retry_count: 0 });
    const { page_count, pages, images_used, cost_usd } = job.result as OcrResult;
    expect({ page_count, images_used }).toEqual({ page_count: 12, images_used: 8 });
    expect(pages).toHaveLength(8);
    expect(await useOf(caller)).toEqual({ pages: 8, held: 0, used: cost_usd, images: 8 });
    await expectPaid([caller], 8);
  });

  it('ends the lines that are asked, asks no other, and keeps their answers', async () => {
    const caller = await world.newCaller();
    const line = (at: number) => ({
      custom_id: `${at}`,
      body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: `line ${at}` }] },
    });
    const jsonl = Array.from({ length: 12 }, (_, at) => JSON.stringify(line(at))).join('\n');
    const id = await submitFile(caller, `${how}.jsonl`, jsonl, { job_type: 'chat' });
    const asked = world.model.requests.length;
    const { opened, open } = gate();
    world.model.respond((_, n) => {
      if (n - asked === 8) void end(how, caller, id).then(open);
      return { kind: 'pieces', pieces: answerAfter(opened), type: 'application/json' };
    });

    await world.work();

    const { status, error: reason, result } = await world.read(caller, id);
    const { lines, cost_usd } = result as ChatBatchResult;
    expect({ status, reason }).toEqual({ status: 'cancelled', reason: error });
    expect(lines).toEqual({ total: 8, completed: 8, failed: 0 });
    expect(world.model.requests.length - asked).toBe(8);
    expect(await useOf(caller)).toMatchObject({ held: 0, used: cost_usd });
    await expectBalanced([caller]);
  });

  it('is cancelled within a minute while a call hangs, and its prompt is paid', async () => {
    const caller = await world.newCaller();
    const { id } = await world.submit(caller, chat);
    world.model.respond({ kind: 'hang' });
    const asked = world.model.requests.length;
    await world.dispatch();
    const [job] = await claimBest('chat#0', 1);
    if (!job) throw new Error('no job is ready');
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'setTimeout'], now: Date.now() });

    let isOver = false;
    const running = runLeased(job, runChatJob, new AbortController().signal).then(() => {
      isOver = true;
    });
    await world.model.requestCount(asked + 1);
    await end(how, caller, id);
    for (let seconds = 0; seconds < 60 && !isOver; seconds += 1) {
      vi.advanceTimersByTime(1_000);
      // The worker's own requests go on meanwhile.
      for (const _ of [1, 2, 3]) await world.item(caller, id);
    }

    expect(isOver).toBe(true);
    await running;
    expect(await world.read(caller, id)).toMatchObject({
      ...{ status: 'cancelled', error, result: null },
    });
    const charges = await chargesOf(caller.keyId);
    expect(charges).toMatchObject([
      { status: 'settled', figures: 'estimated', completion_tokens: 0 },
    ]);
    const used = (charges[0]?.cost ?? 0) / 1e9;
    expect(used).toBeGreaterThan(0);
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used, images: 0 });
  });

  it('leaves its files queued no longer', async () => {
    world.drive.put(`${how}-folder/one.jpg`, await greyJpeg(70));
    world.drive.put(`${how}-folder/two.txt`, 'Words.');
    const folder_id = await world.idOf(`${how}-folder`);
    const caller = await world.newCaller();
    const { id } = await world.submit(caller, { job_type: 'auto', drive: { folder_id } });
    await world.runOnly('folder');

    await end(how, caller, id);
    await world.work();

    const { status, error: reason, result } = await world.read(caller, id);
    expect({ status, reason }).toEqual({ status: 'cancelled', reason: error });
    expect((result as FolderResult).files).toMatchObject({ found: 2, done: 0, cancelled: 2 });
    const { jobs } = await listJobs(caller, { parent_job_id: id });
    expect(jobs.map((job) => [job.status, job.error])).toEqual(Array(2).fill(['cancelled', error]));
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });
});

async function* answerAfter(opened: Promise<void>): AsyncGenerator<string> {
  await opened;
  const message = { role: 'assistant', content: 'An answer.' };
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  yield JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
}

const chat = { job_type: 'chat', inline: { messages: [{ role: 'user', content: 'Well?' }] } };

describe('a job that is stopped', () => {
  it('during its only call keeps the answer, which is paid', async () => {
    const caller = await world.newCaller();
    const { id } = await world.submit(caller, chat);
    const { opened, open } = gate();
    world.model.respond(() => {
      void stopCallersJob(caller, id).then(open);
      return { kind: 'pieces', pieces: answerAfter(opened), type: 'application/json' };
    });

    await world.work();

    const { status, result } = await world.read(caller, id);
    expect(status).toBe('cancelled');
    expect(result).toMatchObject({ type: 'chat', content: 'An answer.' });
    expect((await useOf(caller)).used).toBe((result as { cost_usd: number }).cost_usd);
    await expectBalanced([caller]);
  });

  it('while it waits for the next hour ends now, with the pages it has', async () => {
    const caller = await world.newCaller({ images_per_hour: 2 });
    const id = await submitFile(caller, 'waits.pdf', await smallPdf(greys(3)), { job_type: 'ocr' });
    await world.work();
    const waiting = await world.read(caller, id);

    await stopCallersJob(caller, id);
    await world.work();

    expect(waiting).toMatchObject({
      status: 'queued',
      progress: { done: 2, total: 3, failed: 0, unit: 'pages' },
    });
    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'cancelled', result: { page_count: 3, images_used: 2 } });
    expect(await useOf(caller)).toMatchObject({ used: 2 * usdPerPage, images: 2 });
  });

  it('and whose worker dies is ended by another, though it has no retries', async () => {
    const caller = await world.newCaller();
    const rest = { job_type: 'ocr', max_retries: 0 };
    const id = await submitFile(caller, 'orphan.pdf', await smallPdf(greys(1)), rest);
    await world.dispatch();

    await runKilled('ocr', [16]);
    await stopCallersJob(caller, id);
    pass(leaseMs + 1_000);
    await world.sweep();

    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'cancelled', error: stoppedError, retry_count: 0 });
    const { pages } = await useOf(caller);
    expect((job.result as OcrResult | null)?.images_used ?? 0).toBe(pages);
    await expectBalanced([caller]);
  });

  it('goes before all other work, and its place is not taken by a late message', async () => {
    const caller = await world.newCaller({ images_per_hour: 1 });
    const rest = { job_type: 'ocr', priority: 100 };
    const id = await submitFile(caller, 'last.pdf', await smallPdf(greys(2)), rest);
    await world.work();
    await submitFile(caller, 'first.pdf', await smallPdf(greys(1)), { ...rest, priority: 1 });

    await stopCallersJob(caller, id);
    const [best] = await claimBest('ocr#0', 1);

    expect(best?.job_id).toBe(id);
  });
});

describe('a waiting job', () => {
  it.each<[string, Partial<ApiKey>, RegExp]>([
    ['of a key that was revoked', { state: 'revoked' }, /^key_revoked: /],
    ['of a key that has expired', { expires_at: '2020-01-01T00:00:00.000Z' }, /^key_expired: /],
    [
      'on a model that its key may no longer use',
      { models: ['gpt-4o'] },
      /^model_denied: .* may no longer use gpt-4\.1-mini\.$/,
    ],
  ])('%s is cancelled when its turn comes, and asks nothing', async (_, change, error) => {
    const caller = await world.newCaller();
    const inline = { messages: [{ role: 'user', content: 'Hi' }] };
    const job = { job_type: 'chat', model: 'gpt-4.1-mini', inline };
    const { id } = await world.submit(caller, job);
    const asked = world.model.requests.length;
    await changeKey(caller.keyId, change);

    await world.work();

    const ended = await world.read(caller, id);
    expect(ended).toMatchObject({ status: 'cancelled', result: null });
    expect(ended.error).toMatch(error);
    expect(world.model.requests.length).toBe(asked);
    expect(await useOf(caller)).toMatchObject({ held: 0, used: 0 });
  });

  it('on a model that its key may use still is done, whatever else was taken from it', async () => {
    const caller = await world.newCaller();
    const inline = { messages: [{ role: 'user', content: 'Hi' }] };
    const job = { job_type: 'chat', model: 'gpt-4.1-mini', inline };
    const { id } = await world.submit(caller, job);
    await changeKey(caller.keyId, { models: ['gpt-4.1-mini'] });

    await world.work();

    expect(await world.read(caller, id)).toMatchObject({ status: 'done' });
  });
});

import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { describeJob } from '../../../../lib/cli/jobs/jobs-text.ts';
import { deleteFile } from '../../../../shared/files/delete-file.ts';
import { findFile, requireFile } from '../../../../shared/files/find-file.ts';
import type { Caller } from '../../../../shared/http/caller.ts';
import { runChatJob } from '../../../../shared/jobs/kinds/chat-queue.ts';
import { newestJobs } from '../../../../shared/jobs/operators/find-jobs.ts';
import { jobSheet } from '../../../../shared/jobs/operators/job-sheet.ts';
import { eraseCallersJob } from '../../../../shared/jobs/routes/erase-job.ts';
import { listJobs } from '../../../../shared/jobs/routes/read.ts';
import { cancelBatch, getBatch, listBatches } from '../../../../shared/jobs/routes/read-batches.ts';
import { retryCallersJob } from '../../../../shared/jobs/routes/retry.ts';
import { cancelJob, stopCallersJob } from '../../../../shared/jobs/routes/stop.ts';
import { claimBest } from '../../../../shared/jobs/work/claim-jobs.ts';
import { runLeased } from '../../../../shared/jobs/work/run-leased.ts';
import { JobEvent } from '../../../../shared/webhooks/event-body.ts';
import { setWebhook } from '../../../../shared/webhooks/set-webhook.ts';
import type { Behaviour } from '../../../support/servers/model-stub.ts';
import { gate } from '../../../support/servers/model-stub-pieces.ts';
import { batchesIn, requestLine as line } from '../../../support/worlds/batch-world.ts';
import { hourMs, pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { expectBalanced, useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';
import { bodyOf, eventsOf } from '../../../support/worlds/webhook-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);

useFreshHour();

const seconds = () => Math.floor(Date.now() / 1000);
const linesUpTo = (count: number) =>
  Array.from({ length: count }, (_, at) => line(`id-${at}`, `question ${at}`));

/** Has the model refuse to answer what is called so. */
const failFor = (content: string, status = 503) =>
  world.model.respond(({ messages }) =>
    messages[0]?.content === content ? { kind: 'status', status } : undefined,
  );

describe('a batch', () => {
  it('has its lines answered in its output file, and says how far it has come', async () => {
    const caller = await world.newCaller();
    const created = await batches.create(caller, ['', ...linesUpTo(12), ''], {
      metadata: { project: 'north' },
      output_expires_after: { anchor: 'created_at', seconds: 7_200 },
    });

    await world.work();

    const batch = await batches.read(caller, created);
    const now = seconds();
    expect(created).toEqual({
      ...{ id: created.id, object: 'batch', endpoint: '/v1/chat/completions', model: null },
      ...{ errors: null, input_file_id: created.input_file_id, completion_window: '24h' },
      ...{ status: 'validating', output_file_id: null, error_file_id: null, created_at: now },
      ...{ in_progress_at: null, expires_at: now + 86_400, finalizing_at: null },
      ...{ completed_at: null, failed_at: null, expired_at: null, cancelling_at: null },
      ...{ cancelled_at: null, request_counts: { total: 0, completed: 0, failed: 0 }, usage: null },
      metadata: { project: 'north' },
    });
    expect(created.id).toMatch(/^batch_[0-9a-f-]{36}$/);
    expect(batch).toEqual({
      ...created,
      ...{ status: 'completed', model: 'gpt-4.1-mini', output_file_id: batch.output_file_id },
      ...{ in_progress_at: now, finalizing_at: now, completed_at: now },
      request_counts: { total: 12, completed: 12, failed: 0 },
      usage: expect.objectContaining({
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      }),
    });
    const outputs = await batches.outputs(caller, batch);
    expect(outputs.map(({ custom_id }) => custom_id)).toEqual(
      Array.from({ length: 12 }, (_, at) => `id-${at}`),
    );
    for (const [at, { id, response, error }] of outputs.entries()) {
      expect(error).toBeNull();
      expect(response).toMatchObject({ status_code: 200, request_id: id });
      expect(response?.body.choices?.[0]?.message.content).toBe(`echo: question ${at}`);
    }
    const file = await requireFile(caller.keyId, batch.output_file_id ?? '');
    expect(file).toMatchObject({
      ...{ purpose: 'batch_output', filename: `${batch.id}_output.jsonl` },
      file_expires_at: file.created_at + 7_200,
    });
    const charges = await chargesOf(caller.keyId);
    expect(charges).toHaveLength(12);
    expect(charges[0]).toMatchObject({ metadata: { project: 'north' }, status: 'settled' });
    const { result } = await world.read(caller, batches.jobIdOf(batch));
    expect((await useOf(caller)).used).toBe((result as { cost_usd: number }).cost_usd);
    await expectBalanced([caller]);
  });

  it('puts lines that failed into its error file, and the others into its output file', async () => {
    const caller = await world.newCaller();
    failFor('refused', 400);

    const batch = await batches.run(caller, [line('a', 'Hi'), line('b', 'refused')]);

    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 2, completed: 1, failed: 1 },
    });
    expect((await batches.outputs(caller, batch)).map(({ custom_id }) => custom_id)).toEqual(['a']);
    expect(await batches.errors(caller, batch)).toMatchObject([
      { custom_id: 'b', response: { status_code: 400 }, error: null },
    ]);
  });

  it('none of whose lines is answered has no output file', async () => {
    const caller = await world.newCaller();
    failFor('refused', 400);

    const batch = await batches.run(caller, [line('b', 'refused')]);

    expect(batch).toMatchObject({ status: 'completed', output_file_id: null });
    expect(await batches.errors(caller, batch)).toHaveLength(1);
  });

  it('is a job among the others, with a result that names its files', async () => {
    const caller = await world.newCaller();

    const batch = await batches.run(caller, linesUpTo(2));

    const [job] = (await listJobs(caller, {})).jobs;
    expect(job).toMatchObject({
      ...{ id: batches.jobIdOf(batch), status: 'done', job_type: 'chat', input_type: 'file' },
      ...{ filename: 'requests.jsonl', model: 'gpt-4.1-mini', error: null },
      result: {
        type: 'chat_batch',
        lines: { total: 2, completed: 2, failed: 0 },
        content: null,
        output_file_id: batch.output_file_id,
      },
    });
  });

  it('is shown to operators, counted by status, and told of by a webhook as any job', async () => {
    const caller = await world.newCaller();
    await setWebhook(caller.keyId, 'https://hooks.example.com/quire');
    failFor('refused', 400);

    const batch = await batches.run(caller, [line('a', 'Hi'), line('b', 'refused')]);

    const [job] = await newestJobs([caller.keyId], {}, 5);
    if (!job) throw new Error('no job is found');
    const text = describeJob(jobSheet(job, 'shop'));
    expect(text).toContain(`${batch.id} of /v1/chat/completions`);
    expect(text).toContain(batch.input_file_id);
    const [event] = await eventsOf(caller.keyId);
    if (!event) throw new Error('no event was noted');
    expect(v.parse(JobEvent, bodyOf(event))).toMatchObject({
      type: 'job.done',
      data: {
        ...{ id: job.job_id, job_type: 'chat', input_type: 'file', status: 'done' },
        counts: { lines: 1, lines_total: 2 },
      },
    });
  });

  it('asks for embeddings, and gives them in the form that each line wants', async () => {
    const caller = await world.newCaller();
    const vector = Array.from({ length: 1536 }, (_, at) => at / 4096);
    world.model.respond((): Behaviour => {
      const data = [{ object: 'embedding', index: 0, embedding: vector }];
      const usage = { prompt_tokens: 3, total_tokens: 3 };
      return { kind: 'pieces', pieces: [JSON.stringify({ object: 'list', data, usage })] };
    });
    const ask = (custom_id: string, body: object) =>
      JSON.stringify({
        ...{ custom_id, method: 'POST', url: '/v1/embeddings' },
        body: { model: 'text-embedding-3-small', input: 'a text', ...body },
      });

    const batch = await batches.run(
      caller,
      [ask('numbers', {}), ask('base64', { encoding_format: 'base64' })],
      { endpoint: '/v1/embeddings' },
    );

    expect(batch).toMatchObject({
      ...{ status: 'completed', endpoint: '/v1/embeddings', model: 'text-embedding-3-small' },
      request_counts: { total: 2, completed: 2, failed: 0 },
      usage: { input_tokens: 6, output_tokens: 0, total_tokens: 6 },
    });
    const [numbers, base64] = await batches.outputs(caller, batch);
    expect(numbers?.response?.body.data?.[0]?.embedding).toEqual(vector);
    expect(base64?.response?.body.data?.[0]?.embedding).toBe(
      Buffer.from(Float32Array.from(vector).buffer).toString('base64'),
    );
    expect((await chargesOf(caller.keyId)).map(({ tags }) => tags)).toEqual(
      Array(2).fill(['batch', 'batch:embeddings']),
    );
  });

  it('goes on though its file is deleted, and fails if it was deleted before its first run', async () => {
    const caller = await world.newCaller();
    const early = await batches.create(caller, linesUpTo(1));
    await deleteFile(caller.keyId, early.input_file_id);
    failFor('question 0');
    const late = await batches.create(caller, linesUpTo(2));
    await world.work();
    await deleteFile(caller.keyId, late.input_file_id);
    world.model.respond(() => undefined);

    pass(hourMs);
    await world.sweep();

    expect(await batches.read(caller, early)).toMatchObject({
      status: 'failed',
      failed_at: expect.any(Number),
      errors: { data: [{ code: 'not_found', line: null, param: null }] },
    });
    expect(await batches.read(caller, late)).toMatchObject({ status: 'completed' });
  });

  it('that is tried again as a job is a new batch, with a window of its own', async () => {
    const caller = await world.newCaller();
    const failed = await batches.run(caller, ['no JSON']);

    const { id } = await retryCallersJob(caller, batches.jobIdOf(failed));

    const batch = await getBatch(caller, id.replace('job_', 'batch_'));
    expect(batch).toMatchObject({ status: 'validating', input_file_id: failed.input_file_id });
    const { data } = await listBatches(caller, { limit: 20 });
    expect(data.map(({ id }) => id)).toEqual([batch.id, failed.id]);
    await world.work();
    expect(await batches.read(caller, batch)).toMatchObject({ status: 'failed' });
  });
});

describe('batches are', () => {
  it('listed with the newest first, page by page', async () => {
    const caller = await world.newCaller();
    await world.submit(caller, {
      job_type: 'chat',
      inline: { messages: [{ role: 'user', content: 'Hi' }] },
    });
    const ids: string[] = [];
    for (const _ of [1, 2, 3, 4, 5]) ids.unshift((await batches.create(caller, ['x'])).id);

    const first = await listBatches(caller, { limit: 2 });
    const second = await listBatches(caller, { limit: 2, after: first.last_id ?? '' });
    const last = await listBatches(caller, { limit: 2, after: second.last_id ?? '' });

    const pages = [first, second, last];
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
    expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false]);
    expect(first).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[1] });
    await world.work();
  });

  it('not there for another key: to be read, cancelled, listed, or made of its file', async () => {
    const [owner, other] = [await world.newCaller(), await world.newCaller()];
    const { id, input_file_id } = await batches.create(owner, linesUpTo(1));

    const gone = { statusCode: 404, message: `No batch found with id '${id}'.` };
    await expect(getBatch(other, id)).rejects.toMatchObject(gone);
    await expect(cancelBatch(other, id)).rejects.toMatchObject(gone);
    expect(await listBatches(other, { limit: 20 })).toMatchObject({ data: [], has_more: false });
    await expect(batches.create(other, ['x'], { input_file_id })).rejects.toMatchObject({
      statusCode: 404,
      message: `No such File object: ${input_file_id}`,
    });
    await world.work();
  });

  it('erased with their job: its copy, its answers, its files, and its place in the list', async () => {
    const caller = await world.newCaller();
    failFor('refused', 400);
    const batch = await batches.run(caller, [line('a', 'Hi'), line('b', 'refused')]);

    const { erased } = await eraseCallersJob(caller, batches.jobIdOf(batch));

    expect(erased).toBe(true);
    await expect(getBatch(caller, batch.id)).rejects.toMatchObject({ statusCode: 404 });
    expect(await listBatches(caller, { limit: 20 })).toMatchObject({ data: [] });
    for (const id of [batch.output_file_id, batch.error_file_id]) {
      expect(await findFile(caller.keyId, id ?? '')).toBeUndefined();
    }
    expect(await findFile(caller.keyId, batch.input_file_id)).toBeDefined();
  });
});

/** Runs a batch whose first two lines are answered, and the others not before `open` is called. */
async function halfDone(caller: Caller, count: number, waitedMs = 0) {
  const { opened, open } = gate();
  let asked = 0;
  world.model.respond((): Behaviour | undefined => {
    asked += 1;
    if (asked <= 2) return undefined;
    const answer = async function* () {
      await opened;
      yield '{"choices":[{"message":{"content":"late"},"finish_reason":"stop"}]}';
    };
    return { kind: 'pieces', pieces: answer() };
  });
  const before = world.model.requests.length;
  const batch = await batches.create(caller, linesUpTo(count));
  await world.dispatch();
  pass(waitedMs);
  const working = world.work();
  await world.model.requestCount(before + 8);
  return { batch, working, open };
}

describe('a batch that is cancelled', () => {
  it('keeps what was answered, and names the rest in its error file', async () => {
    const caller = await world.newCaller();
    const { batch, working, open } = await halfDone(caller, 40);

    const cancelling = await cancelBatch(caller, batch.id);
    pass(2_000);
    open();
    await working;

    expect(cancelling).toMatchObject({ status: 'cancelling', cancelled_at: null });
    expect(cancelling.cancelling_at).toBeGreaterThanOrEqual(batch.created_at);
    const cancelled = await batches.read(caller, batch);
    expect(cancelled).toMatchObject({ status: 'cancelled', expired_at: null, completed_at: null });
    expect(cancelled.cancelled_at).toBeGreaterThanOrEqual(cancelling.cancelling_at ?? 0);
    const [outputs, errors] = [
      await batches.outputs(caller, cancelled),
      await batches.errors(caller, cancelled),
    ];
    expect(outputs.length).toBeGreaterThanOrEqual(2);
    expect(errors.length).toBeGreaterThan(0);
    expect(cancelled.request_counts).toEqual({ total: 40, completed: outputs.length, failed: 0 });
    expect(new Set([...outputs, ...errors].map(({ custom_id }) => custom_id)).size).toBe(40);
    expect(new Set(errors.map(({ error }) => error?.code))).toEqual(new Set(['batch_cancelled']));
    expect(await chargesOf(caller.keyId)).toHaveLength(outputs.length);
    expect(await cancelBatch(caller, batch.id)).toEqual(cancelled);
    await expectBalanced([caller]);
  });

  it('before it began names all of its lines, good or bad, in its error file', async () => {
    const caller = await world.newCaller();
    const created = await batches.create(caller, [...linesUpTo(2), '', '{"custom_id": "bad"}']);

    const cancelling = await cancelBatch(caller, created.id);
    await world.work();

    expect(cancelling).toMatchObject({ status: 'cancelling', cancelled_at: null });
    const batch = await batches.read(caller, created);
    expect(batch).toMatchObject({
      ...{ status: 'cancelled', output_file_id: null, in_progress_at: null },
      request_counts: { total: 3, completed: 0, failed: 0 },
    });
    const errors = await batches.errors(caller, batch);
    expect(errors.map(({ custom_id, error }) => [custom_id, error?.code])).toEqual([
      ['id-0', 'batch_cancelled'],
      ['id-1', 'batch_cancelled'],
      ['bad', 'batch_cancelled'],
    ]);
    expect(await chargesOf(caller.keyId)).toEqual([]);
    expect(await cancelBatch(caller, created.id)).toEqual(batch);
  });

  it('before it began ends without files if its input is gone', async () => {
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(1));
    await deleteFile(caller.keyId, created.input_file_id);

    await cancelBatch(caller, created.id);
    await world.work();

    expect(await batches.read(caller, created)).toMatchObject({
      ...{ status: 'cancelled', output_file_id: null, error_file_id: null, errors: null },
    });
  });

  it('while lines are under way has their answers, which are paid, after minutes too', async () => {
    const caller = await world.newCaller();
    const { opened, open } = gate();
    const late = async function* () {
      await opened;
      yield '{"choices":[{"message":{"content":"late"},"finish_reason":"stop"}]}';
    };
    world.model.respond((): Behaviour => ({ kind: 'pieces', pieces: late() }));
    const before = world.model.requests.length;
    const batch = await batches.create(caller, linesUpTo(8));
    await world.dispatch();
    const [job] = await claimBest('chat#0', 1);
    if (!job) throw new Error('no job is ready');
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'setTimeout'], now: Date.now() });

    let isOver = false;
    const running = runLeased(job, runChatJob, new AbortController().signal).finally(() => {
      isOver = true;
    });
    await world.model.requestCount(before + 8);
    await cancelBatch(caller, batch.id);
    for (let tens = 0; tens < 30; tens += 1) {
      vi.advanceTimersByTime(10_000);
      // The worker's own requests go on meanwhile.
      for (const _ of [1, 2, 3]) await batches.read(caller, batch);
    }
    open();
    // Its writes that meet another's wait before they are tried again.
    while (!isOver) {
      vi.advanceTimersByTime(100);
      await batches.read(caller, batch);
    }
    await running;

    const cancelled = await batches.read(caller, batch);
    expect(cancelled).toMatchObject({ status: 'cancelled', error_file_id: null });
    expect(await batches.outputs(caller, cancelled)).toHaveLength(8);
    expect(await chargesOf(caller.keyId)).toHaveLength(8);
    await expectBalanced([caller]);
  });

  it('as a job that waits for its next minute keeps what was answered', async () => {
    const caller = await world.newCaller({ requests_per_minute: 2 });
    const created = await batches.create(caller, linesUpTo(5));
    await world.work();

    await cancelJob(caller, batches.jobIdOf(created));
    await world.work();

    const batch = await batches.read(caller, created);
    expect(batch).toMatchObject({
      status: 'cancelled',
      request_counts: { total: 5, completed: 2, failed: 0 },
    });
    expect(await batches.outputs(caller, batch)).toHaveLength(2);
    expect(await batches.errors(caller, batch)).toHaveLength(3);
  });

  it('after its end is a conflict that says how it ended', async () => {
    const caller = await world.newCaller();
    const { id } = await batches.run(caller, linesUpTo(1));

    await expect(cancelBatch(caller, id)).rejects.toMatchObject({
      statusCode: 409,
      message: "Cannot cancel a batch with status 'completed'.",
    });
  });

  it('as a job is cancelled as a batch', async () => {
    const caller = await world.newCaller();
    const batch = await batches.create(caller, linesUpTo(1));

    await stopCallersJob(caller, batches.jobIdOf(batch));
    await world.work();

    expect(await batches.read(caller, batch)).toMatchObject({ status: 'cancelled' });
  });
});

describe('a batch whose window ends', () => {
  it('while a worker has it, expires with what was answered', async () => {
    const caller = await world.newCaller();
    const { batch, working, open } = await halfDone(caller, 40, 24 * hourMs - 5_000);

    pass(6_000);
    open();
    await working;

    const expired = await batches.read(caller, batch);
    expect(expired).toMatchObject({ status: 'expired', cancelled_at: null, cancelling_at: null });
    expect(expired.expired_at).toBeGreaterThanOrEqual(expired.expires_at ?? 0);
    const outputs = await batches.outputs(caller, expired);
    const errors = await batches.errors(caller, expired);
    expect(outputs.length).toBeGreaterThanOrEqual(2);
    expect(outputs.length + errors.length).toBe(40);
    expect(errors[0]).toMatchObject({ response: null, error: { code: 'batch_expired' } });
    expect(await chargesOf(caller.keyId)).toHaveLength(outputs.length);
  });

  it('while it waits for its budget, expires on time', async () => {
    const caller = await world.newCaller({ budget_usd: 0.002, duration: '30d' });
    const body = { max_tokens: 1_000 };
    const lines = Array.from({ length: 30 }, (_, at) => line(`${at}`, 'Hi', body));
    world.model.respond({
      kind: 'answer',
      content: 'Hi',
      usage: { prompt_tokens: 10, completion_tokens: 1_000 },
    });
    const created = await batches.create(caller, lines);

    await world.work();
    const waiting = await batches.read(caller, created);
    for (let hour = 1; hour <= 24; hour += 1) {
      pass(hourMs);
      await world.sweep();
    }
    pass(1_000);
    await world.sweep();

    expect(waiting).toMatchObject({ status: 'in_progress' });
    const expired = await batches.read(caller, created);
    expect(expired).toMatchObject({ status: 'expired' });
    const [outputs, errors] = [
      await batches.outputs(caller, expired),
      await batches.errors(caller, expired),
    ];
    expect([outputs.length, errors.length]).toEqual([1, 29]);
    expect(errors.every(({ error }) => error?.code === 'batch_expired')).toBe(true);
    expect((expired.expired_at ?? 0) - (expired.expires_at ?? 0)).toBeLessThanOrEqual(120);
  });

  it('before a worker came for it, expires with all of its lines in its error file', async () => {
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(3));

    pass(24 * hourMs);
    await world.sweepOnly();
    await world.work();

    const batch = await batches.read(caller, created);
    expect(batch).toMatchObject({ status: 'expired', output_file_id: null, in_progress_at: null });
    const errors = await batches.errors(caller, batch);
    expect(errors.map(({ custom_id, error }) => [custom_id, error?.code])).toEqual(
      ['id-0', 'id-1', 'id-2'].map((id) => [id, 'batch_expired']),
    );
    expect(await chargesOf(caller.keyId)).toEqual([]);
  });
});

describe('a budget that a batch’s lines go beyond', () => {
  const tooDear = { max_tokens: 30_000 };
  const lines = [line('dear', 'Hi', tooDear), line('cheap', 'Hi', { max_tokens: 1 })];

  it('is waited for until it renews, unless the batch says otherwise', async () => {
    const caller = await world.newCaller({ budget_usd: 0.06, duration: '1h' });
    const dear = { max_tokens: 32_000 };
    const many = Array.from({ length: 3 }, (_, at) => line(`${at}`, 'x'.repeat(20_000), dear));
    world.model.respond({
      kind: 'answer',
      content: 'Hi',
      usage: { prompt_tokens: 5_000, completion_tokens: 20_000 },
    });
    const created = await batches.create(caller, many, { metadata: { on_budget: 'wait' } });

    await world.work();
    const waiting = await batches.read(caller, created);
    for (const _ of [1, 2, 3, 4]) {
      pass(hourMs);
      await world.sweep();
    }

    expect(waiting).toMatchObject({ status: 'in_progress', request_counts: { total: 3 } });
    expect(await batches.read(caller, created)).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 3, failed: 0 },
    });
  });

  it.each(['30d', null])('fails lines at once if the batch says so: %s', async (duration) => {
    const caller = await world.newCaller({ budget_usd: 0.01, duration });

    const batch = await batches.run(caller, lines, { metadata: { on_budget: 'fail' } });

    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 2, completed: 1, failed: 1 },
    });
    expect(await batches.errors(caller, batch)).toMatchObject([
      {
        custom_id: 'dear',
        response: { status_code: 429, body: { error: { code: 'budget_exceeded' } } },
      },
    ]);
  });

  it('and that never renews fails them in any case', async () => {
    const caller = await world.newCaller({ budget_usd: 0.01 });

    const batch = await batches.run(caller, lines);

    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
  });

  it('is named in a choice that is none: a 400 that names the field', async () => {
    const caller = await world.newCaller();

    await expect(
      batches.create(caller, lines, { metadata: { on_budget: 'stop' } }),
    ).rejects.toThrow(/metadata.on_budget: it should be 'wait' or 'fail'/);
  });
});

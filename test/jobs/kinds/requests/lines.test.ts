import { describe, expect, it, vi } from 'vitest';
import { memory } from '../../../../shared/http/byte-budget.ts';
import type { Caller } from '../../../../shared/http/caller.ts';
import { saveStep, stepsBetween } from '../../../../shared/jobs/engine/item/steps.ts';
import { lineName } from '../../../../shared/jobs/kinds/requests/file-line.ts';
import type { ChatBatchResult } from '../../../../shared/jobs/results/result.ts';
import { listJobs } from '../../../../shared/jobs/routes/read.ts';
import type { JobRecord } from '../../../../shared/jobs/routes/record.ts';
import { cases } from '../../../support/run/cases.ts';
import { writtenLines } from '../../../support/run/output.ts';
import type { Behaviour } from '../../../support/servers/model-stub.ts';
import { gate } from '../../../support/servers/model-stub-pieces.ts';
import { beginHour, pass } from '../../../support/worlds/clock.ts';
import { useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

let files = 0;

async function submit(caller: Caller, lines: string[], rest: object = {}): Promise<string> {
  const drive = { file_id: await world.add(`lines-${++files}.jsonl`, lines.join('\n')) };
  return (await world.submit(caller, { job_type: 'chat', drive, ...rest })).id;
}

async function run(caller: Caller, lines: string[], rest: object = {}): Promise<JobRecord> {
  const id = await submit(caller, lines, rest);
  await world.work();
  return world.read(caller, id);
}

/** A line that asks one thing. */
const line = (custom_id: string, content: string, body: object = {}) =>
  JSON.stringify({
    custom_id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content }], ...body },
  });

interface Output {
  custom_id: string | null;
  response: {
    status_code: number;
    body: { choices?: { message: { content: string } }[]; error?: { code: string } };
  } | null;
  error: { code: string; message: string } | null;
}

const outputsIn = (jsonl: string) =>
  jsonl
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each) as Output);
const resultOf = ({ result }: JobRecord) => result as ChatBatchResult & { url?: string };

describe('a file of requests', () => {
  it('is answered in one run also for a key that may have two calls under way', async () => {
    const caller = await world.newCaller({ max_concurrent: 2 });
    const lines = Array.from({ length: 12 }, (_, at) => line(`${at}`, `question ${at}`));

    const job = await run(caller, lines);

    expect(job).toMatchObject({ status: 'done', result: { lines: { completed: 12 } } });
  });

  it('is answered line by line, in order, in the job’s result and beside its source', async () => {
    const caller = await world.newCaller();
    const lines = Array.from({ length: 20 }, (_, at) => line(`id-${19 - at}`, `question ${at}`));

    const job = await run(caller, [...lines.slice(0, 10), '', ...lines.slice(10)]);

    const outputs = outputsIn(resultOf(job).content ?? '');
    expect(outputs.map(({ custom_id }) => custom_id)).toEqual(
      lines.map((_, at) => `id-${19 - at}`),
    );
    expect(outputs.map(({ response }) => response?.body.choices?.[0]?.message.content)).toEqual(
      lines.map((_, at) => `echo: question ${at}`),
    );
    expect(job).toMatchObject({
      status: 'done',
      error: null,
      drive_result_file_id: await world.idOf(`${job.filename}.result.jsonl`),
      result: { type: 'chat_batch', lines: { total: 20, completed: 20, failed: 0 } },
    });
    expect(await world.contentOf(job.drive_result_file_id ?? '')).toBe(resultOf(job).content);
    expect((await useOf(caller)).used).toBe(resultOf(job).cost_usd);
  });

  it('answers each bad line in its place, and the others all the same', async () => {
    const caller = await world.newCaller({ models: ['gpt-4.1-mini', 'gpt-5-mini'] });
    const bad = [
      'no JSON',
      '{"custom_id":"no-body"}',
      '{"body":{"messages":[]}}',
      JSON.stringify({ custom_id: 'elsewhere', url: '/v1/embeddings', body: {} }),
      line('denied', 'Hi', { model: 'gpt-4o' }),
      line('unknown', 'Hi', { model: 'no-such-model' }),
      line('wrong', 'Hi', { messages: [{ role: 'nobody', content: 'Hi' }] }),
      line('streamed', 'Hi', { stream: true }),
    ];

    const job = await run(caller, [line('first', 'Hi'), ...bad, line('last', 'Hi')]);

    const outputs = outputsIn(resultOf(job).content ?? '');
    const codes = outputs.map(({ custom_id, response, error }) => [
      custom_id,
      response?.status_code ?? null,
      error?.code ?? response?.body.error?.code ?? null,
    ]);
    expect(codes).toEqual([
      ['first', 200, null],
      [null, null, 'invalid_line'],
      ['no-body', null, 'invalid_line'],
      [null, null, 'invalid_line'],
      ['elsewhere', null, 'invalid_line'],
      ['denied', 404, 'model_not_found'],
      ['unknown', 404, 'model_not_found'],
      ['wrong', 400, 'invalid_request_error'],
      ['streamed', 200, null],
      ['last', 200, null],
    ]);
    expect(outputs[1]?.error?.message).toMatch(/^Line 2: /);
    expect(job).toMatchObject({
      status: 'done',
      result: { lines: { total: 10, completed: 3, failed: 7 } },
    });
  });

  it('fails a line whose answer is too large, and answers the others all the same', async () => {
    const caller = await world.newCaller();
    const large = Array(40).fill('x'.repeat(2 ** 20));
    world.model.respond(({ messages: [asked] }): Behaviour | undefined =>
      asked?.content === 'all of it' ? { kind: 'pieces', pieces: large } : undefined,
    );

    const job = await run(caller, [
      line('first', 'Hi'),
      line('large', 'all of it', { max_tokens: 100 }),
      line('last', 'Hi'),
    ]);

    const [, answer] = outputsIn(resultOf(job).content ?? '');
    expect(answer?.response).toMatchObject({
      ...{ status_code: 502, body: { error: { code: 'answer_too_large' } } },
    });
    expect(job).toMatchObject({
      status: 'done',
      result: { lines: { total: 3, completed: 2, failed: 1 } },
    });
  });

  it('waits for memory that another key’s work has, and is answered then', async () => {
    const caller = await world.newCaller();
    using others = memory().room('another key');
    await others.take(memory().totalBytes);
    const asked = world.model.requests.length;

    const running = run(caller, [line('large', 'word '.repeat(300_000))]);
    await vi.waitUntil(() => memory().waitingTakes > 0, { timeout: 10_000 });
    expect(world.model.requests.length).toBe(asked);
    others[Symbol.dispose]();

    expect(await running).toMatchObject({ status: 'done', retry_count: 0 });
  });

  it.each<[string, string, string]>([
    ['a number that isn’t safe', 'Hi', '"created":1763900000000000000'],
    ['a number next to zero', 'Hi', '"probability":1e-200'],
    ['a number beyond all', 'Hi', '"probability":1e999'],
    ['forty levels', 'Hi', `"levels":${'['.repeat(40)}${']'.repeat(40)}`],
    ['a name that every object has', 'Hi', '"trace":{"constructor":"here"}'],
    ['half a character', 'Half \\ud83d', '"id":"1"'],
  ])('keeps an answer with %s, and asks once', async (_, content, field) => {
    const caller = await world.newCaller();
    const answer = `{${field},"choices":[{"message":{"content":"${content}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`;
    world.model.respond((): Behaviour => ({ kind: 'pieces', pieces: [answer] }));
    const asked = world.model.requests.length;

    const job = await run(caller, [line('only', 'Hi')]);

    expect(job).toMatchObject({ status: 'done', error: null, retry_count: 0 });
    const [output] = outputsIn(resultOf(job).content ?? '');
    expect(output?.response?.body).toEqual(JSON.parse(JSON.stringify(JSON.parse(answer))));
    expect(world.model.requests).toHaveLength(asked + 1);
  });

  it('is asked of the model by few lines at once', async () => {
    const caller = await world.newCaller();
    const { opened, open } = gate();
    let [now, most] = [0, 0];
    const answered = async function* () {
      most = Math.max(most, ++now);
      await opened;
      now -= 1;
      yield '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}';
    };
    world.model.respond((): Behaviour => ({ kind: 'pieces', pieces: answered() }));
    const asked = world.model.requests.length;
    const id = await submit(
      caller,
      Array.from({ length: 30 }, (_, at) => line(`${at}`, 'Hi')),
    );

    const working = world.work();
    await world.model.requestCount(asked + 8);
    open();
    await working;

    expect(most).toBe(8);
    expect((await world.read(caller, id)).result).toMatchObject({ lines: { completed: 30 } });
  });

  it('whose answers are long is answered with a link, and listed without them', async () => {
    const caller = await world.newCaller();
    const long = 'word '.repeat(20_000);
    world.model.respond({ kind: 'answer', content: long, usage: null });

    const job = await run(
      caller,
      ['a', 'b', 'c'].map((id) => line(id, 'Hi')),
    );

    const { content, url = '', lines } = resultOf(job);
    expect({ content, lines }).toEqual({
      content: null,
      lines: { total: 3, completed: 3, failed: 0 },
    });
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(outputsIn(await answer.text()).map(({ custom_id }) => custom_id)).toEqual([
      'a',
      'b',
      'c',
    ]);
    const [listed] = (await listJobs(caller, {})).jobs;
    expect(listed?.result).toEqual({ ...job.result, content: null, url: undefined });
  });

  it('that names no model is asked of the default one, whether its job is chat or auto', async () => {
    const caller = await world.newCaller();
    const plain = JSON.stringify({
      custom_id: 'a',
      body: { messages: [{ role: 'user', content: 'Hi' }] },
    });

    const jobs = [await run(caller, [plain]), await run(caller, [plain], { job_type: 'auto' })];

    for (const job of jobs) {
      expect(job).toMatchObject({ status: 'done', model: 'gpt-5-mini' });
      expect(resultOf(job).lines).toEqual({ total: 1, completed: 1, failed: 0 });
    }
  });

  it('with a byte order mark and CRLF line ends is read as any other', async () => {
    const caller = await world.newCaller();

    const job = await run(caller, [`\uFEFF${line('a', 'Hi')}\r`, `${line('b', 'Hi')}\r`]);

    expect(resultOf(job).lines).toEqual({ total: 2, completed: 2, failed: 0 });
  });

  it('is asked line by line however long its lines are, up to 6 MB', async () => {
    const caller = await world.newCaller();
    const mb = 1024 * 1024;
    const longOnes = cases(1, 6);
    const long = line('long', 'Hi', { padding: 'x'.repeat(5 * mb) });
    const tooLong = line('too-long', 'Hi', { padding: 'x'.repeat(6 * mb) });

    const job = await run(caller, [...Array(longOnes).fill(long), tooLong, line('last', 'Hi')]);

    const outputs = outputsIn(resultOf(job).content ?? '');
    expect(outputs.map(({ custom_id }) => custom_id)).toEqual([
      ...Array(longOnes).fill('long'),
      null,
      'last',
    ]);
    expect(outputs[longOnes]?.error).toEqual({
      code: 'invalid_line',
      message: `Line ${longOnes + 1}: it is longer than the 6 MB that a line may have.`,
    });
    const completed = longOnes + 1;
    expect(resultOf(job).lines).toEqual({ total: completed + 1, completed, failed: 1 });
  });

  it('is asked line by line though one of them is megabytes of empty objects', async () => {
    const caller = await world.newCaller();
    const empty = (count: number) => line('empty', 'Hi', { messages: Array(count).fill({}) });

    const job = await run(caller, [line('a', 'Hi'), empty(1_500_000), empty(90_000)]);

    expect(resultOf(job).lines).toEqual({ total: 3, completed: 1, failed: 2 });
    const [, tooMany, wrong] = outputsIn(resultOf(job).content ?? '');
    expect(tooMany).toMatchObject({
      custom_id: null,
      error: { message: expect.stringMatching(/^Line 2: Input should have at most 500000 values/) },
    });
    expect(wrong).toMatchObject({
      custom_id: 'empty',
      response: { body: { error: { message: 'messages.0.role: Field required' } } },
    });
  });
});

/** How many items a job keeps of its lines. */
const keptLines = async (caller: Caller, job_id: string) =>
  (await Array.fromAsync(stepsBetween({ key_id: caller.keyId, job_id }, 'line_0', 'line_~')))
    .length;

describe('a file of too much, or of nothing', () => {
  it('that has no line to ask fails at once, says why, and keeps nothing of its lines', async () => {
    const caller = await world.newCaller({ budget_usd: 0 });

    const job = await run(caller, Array(cases(1_000, 20_000)).fill('x'));

    expect(job).toMatchObject({ status: 'failed', retry_count: 0, result: null });
    expect(job.error).toMatch(
      new RegExp(`^invalid_lines: No line of ${job.filename} can be asked. Line 1: .*JSON`),
    );
    expect(await keptLines(caller, job.id)).toBe(0);
  });

  it('fails for lines of a kind: no model that the key may use, a parameter, a file of the operator’s', async () => {
    const caller = await world.newCaller({ models: ['gpt-4.1-mini', 'gpt-5-mini'] });
    const file = { type: 'file', file: { file_id: 'file-1' } };
    const bodies = [
      [{ model: 'gpt-4o' }, 'The model gpt-4o does not exist.'],
      [{ store: true }, 'store is not available for gpt-4.1-mini'],
      [{ messages: [{ role: 'user', content: [file] }] }, 'send the file itself as a data URL'],
      [{ tools: deep(64) }, 'Input should not be nested deeper than 64 levels'],
    ] as const;

    for (const [body, wrong] of bodies) {
      const job = await run(caller, ['', line('a', 'Hi', body)]);

      expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
      expect(job.error).toContain(`No line of ${job.filename} can be asked. Line 2: `);
      expect(job.error).toContain(wrong);
    }
  });

  it.each([
    ['no JSON', 'SECRET-A patient'],
    ['half JSON', '{"custom_id": SECRET-B'],
    ['a method', JSON.stringify({ custom_id: 'a', method: 'SECRET-C patient', body: {} })],
    ['a role', line('a', 'Hi', { messages: [{ role: 'SECRET-D', content: 'Hi' }] })],
    ['a number', line('a', 'Hi', { temperature: 'SECRET-E' })],
    ['a model', line('a', 'Hi', { model: 'SECRET-F patient' })],
    ['a name', line('a', 'Hi', { messages: [{ role: 'user', content: [{ 'SECRET-G': 1 }] }] })],
  ])('that has document text for %s fails without a word of it in the log', async (_, text) => {
    const caller = await world.newCaller();

    const job = await run(caller, [text]);

    expect(job.error).toMatch(/^invalid_lines: No line of .* can be asked. Line 1: ./);
    const logged = writtenLines().join('\n');
    expect(logged).toContain('"error":"invalid_lines"');
    expect(logged).not.toContain('SECRET');
    if (!text.includes('SECRET-F')) expect(job.error).not.toContain('SECRET');
  });

  it('of more than 50,000 lines fails before one is asked, blank lines counted', async () => {
    const caller = await world.newCaller();
    const asked = world.model.requests.length;

    const job = await run(caller, [line('a', 'Hi'), ...Array(49_999).fill(''), line('b', 'Hi')]);

    expect(job).toMatchObject({ status: 'failed', retry_count: 0 });
    expect(job.error).toBe(
      `too_many_lines: ${job.filename} has more than the 50,000 lines that a file of requests may have.`,
    );
    expect(world.model.requests.length).toBe(asked);
  });

  it('of up to 50,000 lines is answered in order to the last, and keeps the lines that were asked', async () => {
    const caller = await world.newCaller();
    const total = cases(3_000, 50_000);
    const wrong = Array.from({ length: total - 3 }, (_, at) => `{"custom_id":"wrong-${at}"}`);
    const lines = [
      line('first', 'Hi'),
      ...wrong.slice(0, 1000),
      line('between', 'Hi'),
      ...wrong.slice(1000),
      line('last', 'Hi'),
    ];

    const job = await run(caller, lines);

    expect(resultOf(job).lines).toEqual({ total, completed: 3, failed: total - 3 });
    const text = await (await fetch(resultOf(job).url ?? '')).text();
    const outputs = outputsIn(text);
    expect(outputs.map(({ custom_id }) => custom_id)).toEqual(
      lines.map((text) => JSON.parse(text).custom_id),
    );
    expect(outputs[50]?.error?.message).toMatch(/^Line 51: body: /);
    expect(await keptLines(caller, job.id)).toBe(3);
  });

  it('that was begun is finished, though none of its lines can be asked any more', async () => {
    const caller = await world.newCaller();
    const id = await submit(caller, ['x', 'y']);
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const output = { id: 'kept', custom_id: null, response: null, error: null };
    const step = { output, failed: true, usage, cost: 0 };
    await saveStep({ key_id: caller.keyId, job_id: id }, lineName(1), step);

    await world.work();

    const job = await world.read(caller, id);
    expect(resultOf(job).lines).toEqual({ total: 2, completed: 0, failed: 2 });
    expect(resultOf(job).content).toContain('kept');
  });
});

/** A list of lists, that many levels deep. */
const deep = (levels: number): unknown =>
  JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('a line that can’t be asked now', () => {
  it('is asked again with the job, and the others are not', async () => {
    beginHour();
    const caller = await world.newCaller();
    let failures = 0;
    world.model.respond(({ messages }) =>
      messages[0]?.content === 'busy' && failures++ < 1
        ? { kind: 'status', status: 503 }
        : undefined,
    );
    const asked = world.model.requests.length;
    const id = await submit(caller, [line('a', 'Hi'), line('b', 'busy'), line('c', 'Hi')]);

    await world.work();
    const waiting = await world.read(caller, id);
    pass(120_000);
    await world.sweep();

    expect(waiting).toMatchObject({ status: 'queued', retry_count: 1 });
    const job = await world.read(caller, id);
    expect(resultOf(job).lines).toEqual({ total: 3, completed: 3, failed: 0 });
    expect(world.model.requests.length - asked).toBe(4);
    expect((await useOf(caller)).used).toBe(resultOf(job).cost_usd);
  });

  it('is answered with the error on the last try', async () => {
    const caller = await world.newCaller();
    world.model.respond(({ messages }) =>
      messages[0]?.content === 'busy' ? { kind: 'status', status: 503 } : undefined,
    );

    const job = await run(caller, [line('a', 'Hi'), line('b', 'busy')], { max_retries: 0 });

    expect(resultOf(job).lines).toEqual({ total: 2, completed: 1, failed: 1 });
    const [, failed] = outputsIn(resultOf(job).content ?? '');
    expect(failed?.response).toMatchObject({
      status_code: 503,
      body: { error: { code: 'model_unavailable' } },
    });
  });

  it('waits for the key’s next minute, even on the last try', async () => {
    beginHour();
    const caller = await world.newCaller({ requests_per_minute: 2 });
    const lines = Array.from({ length: 5 }, (_, at) => line(`${at}`, 'Hi'));
    const id = await submit(caller, lines, { max_retries: 0 });

    await world.work();
    const waiting = await world.read(caller, id);
    for (const _ of [1, 2]) {
      // Its place is in the first half of the next minute.
      pass(90_000);
      await world.sweep();
    }

    expect(waiting).toMatchObject({ status: 'queued', retry_count: 0 });
    expect(waiting.error).toMatch(/^rate_limit_exceeded: /);
    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'done', error: null });
    expect(resultOf(job).lines).toEqual({ total: 5, completed: 5, failed: 0 });
  });

  it('for want of budget is answered so, and the rest with it', async () => {
    const caller = await world.newCaller({ budget_usd: 0.0001 });

    const job = await run(caller, [line('a', 'Hi'), line('b', 'Hi', { max_tokens: 1 })]);

    const outputs = outputsIn(resultOf(job).content ?? '');
    expect(outputs.map(({ response }) => response?.status_code)).toEqual([429, 200]);
    expect(outputs[0]?.response?.body.error?.code).toBe('budget_exceeded');
  });
});

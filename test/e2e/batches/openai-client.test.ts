import OpenAI, { toFile } from 'openai';
import type { Batch } from 'openai/resources/batches';
import { describe, expect, it } from 'vitest';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { call, type Target, until } from '../../support/servers/api.ts';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import { gate } from '../../support/servers/model-stub-pieces.ts';
import { poll } from '../../support/servers/poll.ts';

const chat = await useChatStage();
const slow = gate();
const model = chat.newModel('plain', ({ messages }): Behaviour | undefined => {
  const content = messages[0]?.content;
  if (content === 'refuse') return { kind: 'status', status: 400 };
  // By the time that it comes, the worker has looked whether its job was stopped.
  if (content === 'late') return { kind: 'answer', content: 'late', delayMs: 1_200 };
  return content === 'slow' ? { kind: 'pieces', pieces: slowAnswer() } : undefined;
});
const embedder = chat.newModel('embedding', (): Behaviour => {
  const data = [{ object: 'embedding', index: 0, embedding: [0.5, -0.25, 1.5] }];
  const usage = { prompt_tokens: 7, total_tokens: 7 };
  return { kind: 'pieces', pieces: [JSON.stringify({ object: 'list', data, usage })] };
});

async function* slowAnswer(): AsyncGenerator<string> {
  await slow.opened;
  yield '{"choices":[{"index":0,"message":{"role":"assistant","content":"late"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}';
}

const clientOf = ({ base_url, api_key }: Account) =>
  new OpenAI({ apiKey: api_key, baseURL: `${base_url}/v1`, maxRetries: 0 });

const request = (custom_id: string, content: string, rest: object = {}) => ({
  ...{ custom_id, method: 'POST', url: '/v1/chat/completions' },
  body: { model: model.id, messages: [{ role: 'user', content }] },
  ...rest,
});

const embedding = (custom_id: string, input: string) => ({
  ...{ custom_id, method: 'POST', url: '/v1/embeddings' },
  body: { model: embedder.id, input },
});

/** Uploads requests and makes a batch of them, as OpenAI's guide does. */
async function create(
  client: OpenAI,
  requests: unknown[],
  rest: Partial<OpenAI.BatchCreateParams> = {},
): Promise<Batch> {
  const lines = requests.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl'),
    purpose: 'batch',
  });
  const endpoint = '/v1/chat/completions';
  return client.batches.create({
    ...{ input_file_id: file.id, endpoint, completion_window: '24h' },
    ...rest,
  });
}

const ends = ['completed', 'failed', 'expired', 'cancelled'];

const ended = (client: OpenAI, { id }: Batch) =>
  poll(
    () => client.batches.retrieve(id),
    ({ status }) => ends.includes(status),
  );

/** Reads a file of results as the guide does. */
async function linesOf(client: OpenAI, fileId: string | null | undefined) {
  const text = await (await client.files.content(fileId ?? '')).text();
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe.concurrent('openai’s client', () => {
  it('uploads requests, makes a batch of them, waits for it and reads what came of it', async () => {
    const account = await chat.newAccount();
    const client = clientOf(account);
    const requests = ['one', 'two', 'refuse', 'three'].map((each) => request(each, each));

    const created = await create(client, requests, {
      metadata: { project: 'north' },
      output_expires_after: { anchor: 'created_at', seconds: 3_600 },
    });
    const batch = await ended(client, created);

    expect(created).toMatchObject({
      ...{ object: 'batch', status: 'validating', errors: null, completion_window: '24h' },
      ...{ endpoint: '/v1/chat/completions', metadata: { project: 'north' } },
      request_counts: { total: 0, completed: 0, failed: 0 },
    });
    expect(created.expires_at).toBe(created.created_at + 86_400);
    expect(batch).toMatchObject({
      ...{ id: created.id, status: 'completed', model: model.id, errors: null },
      ...{ cancelled_at: null, cancelling_at: null, expired_at: null, failed_at: null },
      request_counts: { total: 4, completed: 3, failed: 1 },
    });
    for (const at of [batch.in_progress_at, batch.finalizing_at, batch.completed_at]) {
      expect(at).toBeGreaterThanOrEqual(batch.created_at);
    }
    const outputs = await linesOf(client, batch.output_file_id);
    expect(outputs.map(({ custom_id }) => custom_id)).toEqual(['one', 'two', 'three']);
    expect(outputs[0]).toMatchObject({
      ...{ id: expect.stringMatching(/^batch_req_/), error: null },
      response: { status_code: 200, body: { choices: [{ message: { content: 'echo: one' } }] } },
    });
    const errors = await linesOf(client, batch.error_file_id);
    expect(errors).toMatchObject([{ custom_id: 'refuse', response: { status_code: 400 } }]);
    const file = await client.files.retrieve(batch.output_file_id ?? '');
    expect(file).toMatchObject({ purpose: 'batch_output', expires_at: file.created_at + 3_600 });
    const charges = (await endedCharges(account)).filter(({ status }) => status === 'settled');
    const cost = charges.reduce((sum, { cost = 0 }) => sum + cost, 0);
    expect(charges.map(({ metadata }) => metadata)).toEqual(Array(3).fill({ project: 'north' }));
    expect((await budgetOf(account)).used_usd).toBe(cost / 1e9);
    const { body } = await call<JobRecord>(
      account,
      'GET',
      `/batch/jobs/${batch.id.replace('batch_', 'job_')}`,
    );
    expect(body).toMatchObject({
      status: 'done',
      input_type: 'file',
      result: { cost_usd: cost / 1e9 },
    });
  });

  it('makes a batch of embeddings', async () => {
    const client = clientOf(await chat.newAccount());

    const created = await create(client, [embedding('a', 'a text'), embedding('b', 'another')], {
      endpoint: '/v1/embeddings',
    });
    const batch = await ended(client, created);

    expect(batch).toMatchObject({
      ...{ status: 'completed', endpoint: '/v1/embeddings', error_file_id: null },
      usage: { input_tokens: 14, output_tokens: 0, total_tokens: 14 },
    });
    const outputs = await linesOf(client, batch.output_file_id);
    expect(outputs.map(({ response }) => response.body.data[0].embedding)).toEqual(
      Array(2).fill([0.5, -0.25, 1.5]),
    );
  });

  it('is told what is wrong with lines, before anything is spent', async () => {
    const account = await chat.newAccount();
    const client = clientOf(account);
    const lines = [
      request('good', 'one'),
      'no JSON',
      request('good', 'two'),
      request('embedding', 'three', { url: '/v1/embeddings' }),
      { ...request('get', 'four'), method: 'GET' },
      request('none', 'five', { body: { model: 'no-such-model', messages: [] } }),
    ];

    const batch = await ended(client, await create(client, lines));

    expect(batch).toMatchObject({
      ...{ status: 'failed', output_file_id: null, error_file_id: null },
      failed_at: expect.any(Number),
    });
    expect(batch.errors?.object).toBe('list');
    expect(batch.errors?.data).toMatchObject([
      { line: 2, code: 'invalid_json_line', param: null },
      { line: 3, code: 'duplicate_custom_id', param: 'custom_id' },
      { line: 4, code: 'url_mismatch', param: 'url' },
      { line: 5, code: 'invalid_method', param: 'method' },
      { line: 6, param: expect.stringMatching(/^body\./) },
    ]);
    expect((await budgetOf(account)).used_usd).toBe(0);
  });

  it('lists its batches and no others, page by page', async () => {
    const [client, other] = [clientOf(await chat.newAccount()), clientOf(await chat.newAccount())];
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.unshift((await create(client, ['x'])).id);

    const listed = await Array.fromAsync(client.batches.list({ limit: 2 }));

    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(await Array.fromAsync(other.batches.list())).toEqual([]);
    const gone = { status: 404, error: { message: `No batch found with id '${ids[0]}'.` } };
    await expect(other.batches.retrieve(ids[0] ?? '')).rejects.toMatchObject(gone);
    await expect(other.batches.cancel(ids[0] ?? '')).rejects.toMatchObject(gone);
  });

  it.each<[string, object, string]>([
    ['another endpoint', { endpoint: '/v1/poems' }, 'endpoint'],
    ['another window', { completion_window: '1h' }, 'completion_window'],
    ['a choice of budget that is none', { metadata: { on_budget: 'x' } }, 'metadata.on_budget'],
    [
      'another lifetime',
      { output_expires_after: { anchor: 'created_at', seconds: 1 } },
      'output_expires_after.seconds',
    ],
  ])('is refused %s with a 400 that names the field', async (_, rest, param) => {
    const client = clientOf(await chat.newAccount());

    await expect(create(client, ['x'], rest)).rejects.toMatchObject({
      ...{ status: 400, param, type: 'invalid_request_error' },
    });
  });

  it('is told that a file is not there, whether it is nobody’s or another key’s', async () => {
    const client = clientOf(await chat.newAccount());
    const { input_file_id } = await create(clientOf(await chat.newAccount()), ['x']);

    for (const id of [input_file_id, 'file-00000000000000000000000000000000', 'x']) {
      await expect(create(client, ['x'], { input_file_id: id })).rejects.toMatchObject({
        status: 404,
        error: { message: `No such File object: ${id}` },
      });
    }
  });

  it.each(['0', '101', 'x'])('is refused a list of %s batches', async (limit) => {
    const account = await chat.newAccount();

    const { status, body } = await call(account, 'GET', `/v1/batches?limit=${limit}`);

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { param: 'limit', type: 'invalid_request_error' } });
  });
});

describe('openai’s client cancels', () => {
  it('a batch that runs: what was answered is its output, and the rest is named', async () => {
    const account = await chat.newAccount();
    const client = clientOf(account);
    const requests = Array.from({ length: 30 }, (_, at) =>
      request(`id-${at}`, at < 2 ? 'quick' : at < 10 ? 'slow' : 'late'),
    );
    const before = model.upstreams[0]?.requests().length ?? 0;
    const created = await create(client, requests);
    await poll(
      () => (model.upstreams[0]?.requests().length ?? 0) - before,
      (asked) => asked >= 10,
    );

    const cancelling = await client.batches.cancel(created.id);
    slow.open();
    const batch = await ended(client, created);

    expect(cancelling).toMatchObject({ status: 'cancelling', cancelling_at: expect.any(Number) });
    expect(batch).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) });
    const outputs = await linesOf(client, batch.output_file_id);
    const errors = await linesOf(client, batch.error_file_id);
    expect(outputs.length + errors.length).toBe(30);
    expect(errors[0]).toMatchObject({ response: null, error: { code: 'batch_cancelled' } });
    expect(batch.request_counts).toEqual({ total: 30, completed: outputs.length, failed: 0 });
    const settled = (await endedCharges(account)).filter(({ status }) => status === 'settled');
    expect(settled).toHaveLength(outputs.length);
    await expect(client.batches.cancel(created.id)).resolves.toMatchObject({ status: 'cancelled' });
  });

  it('no batch that has ended otherwise', async () => {
    const client = clientOf(await chat.newAccount());
    const created = await create(client, ['x']);
    await ended(client, created);

    await expect(client.batches.cancel(created.id)).rejects.toMatchObject({
      status: 409,
      error: { message: "Cannot cancel a batch with status 'failed'." },
    });
  });
});

describe('a batch’s job', () => {
  it('is deleted with the batch’s files', async () => {
    const account: Target = await chat.newAccount();
    const client = clientOf(account as Account);
    const created = await create(client, [request('one', 'one')]);
    const jobId = created.id.replace('batch_', 'job_');
    await until(account, jobId);
    const batch = await client.batches.retrieve(created.id);

    const { status, body } = await call(account, 'DELETE', `/batch/jobs/${jobId}`);

    expect({ status, body }).toEqual({
      ...{ status: 200, body: { id: jobId, deleted: true, erased: true } },
    });
    await expect(client.batches.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.files.retrieve(batch.output_file_id ?? '')).rejects.toMatchObject({
      status: 404,
    });
  });

  it('is told by the field that no upstream of a model takes batches', async () => {
    const client = clientOf(await chat.newAccount());

    const refused = create(client, [request('one', 'one')], { metadata: { via: 'upstream' } });

    await expect(refused).rejects.toMatchObject({ status: 400, param: 'metadata.via' });
  });
});

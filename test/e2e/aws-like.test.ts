import { setTimeout } from 'node:timers/promises';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { startAwsLikeStore } from '../support/servers/aws-like-store.ts';
import type { Budget } from '../support/servers/chat-stage.ts';
import { runCommand } from '../support/servers/command.ts';
import { eventsOf, post } from '../support/servers/event-reader.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { completionOf } from '../support/servers/model-stub-pieces.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { poll } from '../support/servers/poll.ts';

const store = await startAwsLikeStore();
afterAll(() => store.close());
const model = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: {
    AWS_ENDPOINT_URL_DYNAMODB: store.url,
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'a key',
    // As on AWS: a key's calls are in many processes.
    LEASES: 'off',
    // AWS's own are 1: two stores, the stage and other tests share a machine here.
    AWS_TIMEOUT_FACTOR: '3',
  },
});

interface Limits {
  budget: Budget & { held_usd: number };
}

/** What a call of the stub costs at the price of gpt-4o. */
const costUsd = (10 * 2_500 + 20 * 10_000) / 1e9;
const messages = [{ role: 'user', content: 'Hello' }];

beforeEach(() => model.respond({ kind: 'pieces', pieces: [completionOf('ok', [10, 20])] }));

/** Asks as clients do: again after a 503, which the store's throttles may cause. */
async function complete(caller: Target) {
  for (let tries = 1; ; tries += 1) {
    const answer = await call(caller, 'POST', '/v1/chat/completions', {
      model: 'gpt-4o',
      messages,
      max_tokens: 100,
    });
    if (answer.status !== 503 || tries === 4) return answer;
    await setTimeout(1_000);
  }
}

/** Waits until a key has paid for a number of calls, and nothing is held. */
const paid = (caller: Target, calls: number) =>
  poll(
    async () => (await call<Limits>(caller, 'GET', '/user/limits')).body,
    ({ budget }) => Math.abs(budget.used_usd - calls * costUsd) < 1e-9 && budget.held_usd === 0,
  );

/** Charges, accounts and statistics of a key agree once the indexes have come after. */
async function expectBooks(keyId: string) {
  const { stdout } = await poll(
    () => runCommand('usage', stage.dataDir, ['check', keyId, '--data', stage.dataDir]),
    ({ code }) => code === 0,
  );
  expect(stdout).toContain('agree');
}

it('answers chats at once and as a stream, each paid once', async () => {
  const caller = await newCaller(stage, { budget_usd: 1 });

  const answers = await Promise.all(Array.from({ length: 20 }, () => complete(caller)));
  model.respond({ kind: 'answer', content: 'streamed' });
  const streamed = await post(caller, '/chat/stream', { message: 'Hello', model: 'gpt-4o' });

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(eventsOf(await streamed.text()).at(-1)).toBe('[DONE]');
  await expectBooks(caller.keyId);
});

it('never lets calls at once go past a budget', async () => {
  const caller = await newCaller(stage, { budget_usd: costUsd * 12 });

  const answers = await Promise.all(Array.from({ length: 30 }, () => complete(caller)));

  const done = answers.filter(({ status }) => status === 200).length;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThanOrEqual(12);
  await paid(caller, done);
  await expectBooks(caller.keyId);
});

it('runs jobs, each once', async () => {
  const caller = await newCaller(stage, { budget_usd: 1 });

  const ids = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { id } = await submit(caller, chatJob(`Hello ${index}`, { model: 'gpt-4o' }));
      return id;
    }),
  );
  const jobs = await Promise.all(ids.map((id) => until(caller, id)));

  expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 'done'));
  await paid(caller, 20);
  await expectBooks(caller.keyId);
});

it('runs a batch of requests', { tags: 'exhaustive' }, async () => {
  const caller = await newCaller(stage, { budget_usd: 1 });
  const client = new OpenAI({ apiKey: caller.api_key, baseURL: `${caller.base_url}/v1` });
  const lines = Array.from({ length: 20 }, (_, index) =>
    JSON.stringify({
      ...{ custom_id: `line-${index}`, method: 'POST', url: '/v1/chat/completions' },
      body: { model: 'gpt-4o', messages },
    }),
  );

  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl'),
    purpose: 'batch',
  });
  const { id } = await client.batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  const ended = await poll(
    () => client.batches.retrieve(id),
    ({ status }) => !['validating', 'in_progress', 'finalizing'].includes(status),
  );

  expect(ended).toMatchObject({
    status: 'completed',
    request_counts: { completed: 20, failed: 0 },
  });
  const output = await (await client.files.content(String(ended.output_file_id))).text();
  expect(
    new Set(
      output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).custom_id),
    ).size,
  ).toBe(20);
  await expectBooks(caller.keyId);
});

it('reads a folder', { tags: 'exhaustive' }, async () => {
  const caller = await newCaller(stage, { budget_usd: 1, drive_folders: ['local-drive'] });
  const folder = { job_type: 'auto', drive: { folder_id: 'local-drive' } };

  const { id } = await submit(caller, folder);
  const { status, result } = await until(caller, id);

  expect(status).toBe('done');
  expect(result).toMatchObject({ files: { failed: 0, cancelled: 0 } });
  await expectBooks(caller.keyId);
});

it('lets a revoked key in no more, once the gateway has forgotten it', {
  tags: 'exhaustive',
}, async () => {
  const caller = await newCaller(stage, { budget_usd: 1 });
  await complete(caller);

  const { code } = await runCommand('keys', stage.dataDir, [
    ...['revoke', caller.keyId, '--yes', '--data', stage.dataDir],
  ]);

  expect(code).toBe(0);
  const status = async () => (await complete(caller)).status;
  await expect.poll(status, { timeout: 120_000, interval: 2_000 }).toBe(401);
});

it('has met what it was to meet, and both its states were one', { tags: 'exhaustive' }, () => {
  const { lagged, throttled, conflicts } = store.met;
  expect({ lagged: lagged > 0, throttled: throttled > 0, conflicts: conflicts > 0 }).toEqual({
    lagged: true,
    throttled: true,
    conflicts: true,
  });
  expect(store.divergences).toEqual([]);
});

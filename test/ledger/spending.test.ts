import { expect, it } from 'vitest';
import { grow } from '../../shared/ledger/parts/grow.ts';
import { happens, moving } from '../../shared/ledger/parts/move.ts';
import { cases } from '../support/run/cases.ts';
import { call, chatJob, submit, until } from '../support/servers/api.ts';
import { budgetOf, endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { partsOf } from '../support/worlds/ledger-world.ts';

const chat = await useChatStage();

/** Dollars that the test models' prices make of a usage. */
const usage = { prompt_tokens: 50, completion_tokens: 100, total_tokens: 150 };
const costUsd = (50 * 1 + 100 * 10) / 1e6;

function ask(account: Parameters<typeof call>[0], model: string, rest: object = {}) {
  return call<{ error: { code: string; budget: Record<string, unknown> } }>(
    account,
    'POST',
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100, ...rest },
  );
}

it('serves as many of hundreds of concurrent requests as the budget affords, and counts each once', {
  tags: 'exhaustive',
}, async () => {
  const [affordable, asked] = [cases(8, 40), cases(60, 300)];
  const model = chat.newModel();
  const refusal = await ask(await chat.newAccount({ budget_usd: 0 }), model.id);
  const holdUsd = Number(refusal.body.error.budget['request_max_usd']);
  const account = await chat.newAccount({ budget_usd: Number((affordable * holdUsd).toFixed(9)) });
  const usage = usageThatCosts(holdUsd);
  model.upstreams[0]?.respond({ kind: 'answer', content: 'x', usage });

  const answers = await Promise.all(Array.from({ length: asked }, () => ask(account, model.id)));

  const charges = await endedCharges(account);
  const { max_usd, used_usd, remaining_usd } = await budgetOf(account);
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(affordable);
  expect(refused).toHaveLength(asked - affordable);
  for (const { headers, body } of refused) expectRefusal(headers, body.error, max_usd, holdUsd);
  expect(model.upstreams[0]?.requests()).toHaveLength(affordable);
  expect(charges.map(({ status }) => status)).toEqual(Array(affordable).fill('settled'));
  expect(charges.reduce((sum, { cost = 0 }) => sum + cost, 0)).toBe(Math.round(used_usd * 1e9));
  expect({ used_usd, remaining_usd }).toEqual({ used_usd: max_usd, remaining_usd: 0 });
});

/** All the output that is asked for, and a prompt for the rest. */
function usageThatCosts(usd: number) {
  const completion_tokens = 100;
  const prompt_tokens = Math.round(usd * 1e6 - completion_tokens * 10);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function expectRefusal(
  headers: Headers,
  { code, budget }: { code: string; budget: Record<string, unknown> },
  max_usd: number,
  request_max_usd: number,
): void {
  expect(code).toBe('budget_exceeded');
  const { used_usd, held_usd, remaining_usd } = budget as Record<string, number>;
  const isHeldUp = Number(held_usd) + Number(remaining_usd) >= request_max_usd - 1e-12;
  expect(headers.get('x-should-retry')).toBe(isHeldUp ? null : 'false');
  expect(headers.get('retry-after')).toBe(isHeldUp ? '1' : null);
  expect(budget).toMatchObject({ limit: 'budget', max_usd, request_max_usd, reset_at: null });
  expect(Number(used_usd) + Number(held_usd) + Number(remaining_usd)).toBeCloseTo(max_usd, 9);
  expect(remaining_usd).toBeLessThan(request_max_usd);
}

it('says that a budget of nothing pays for nothing', async () => {
  const { status, body } = await ask(await chat.newAccount({ budget_usd: 0 }), chat.newModel().id);

  expect(status).toBe(429);
  expect(body.error).toMatchObject({
    code: 'budget_exceeded',
    message: expect.stringMatching(/the budget of this key is \$0, so it can pay for nothing/),
  });
});

it('lets no more than a budget of holds run at once', async () => {
  const model = chat.newModel('plain', { kind: 'hang' });
  const refusal = await ask(await chat.newAccount({ budget_usd: 0 }), model.id);
  const holdUsd = Number(refusal.body.error.budget['request_max_usd']);
  const account = await chat.newAccount({ budget_usd: Number((3 * holdUsd).toFixed(9)) });

  const answers = Array.from({ length: 20 }, () => ask(account, model.id).catch(() => undefined));
  const refused = await Promise.all(
    Array.from({ length: 17 }, async (_, index) => (await nth(answers, index))?.status),
  );

  expect(refused).toEqual(Array(17).fill(429));
  await expect.poll(() => model.upstreams[0]?.requests()).toHaveLength(3);
});

it('counts a key’s requests a minute, and says when to try again', async () => {
  const model = chat.newModel();
  const account = await chat.newAccount({ requests_per_minute: 5 });

  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(account, model.id)));

  const served = answers.filter(({ status }) => status === 200);
  const limited = answers.find(({ status }) => status === 429);
  // The minute may turn while they run.
  expect([5, 10]).toContain(served.length);
  expect(limited?.body.error.code).toBe('rate_limit_exceeded');
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(served[0]?.headers.get('x-ratelimit-limit-requests')).toBe('5');
});

it('tells the whole key’s requests a minute, however its parts share them', async () => {
  const model = chat.newModel();
  const account = await chat.newAccount({ requests_per_minute: 400 });
  const limits: (string | null)[] = [];
  const askSome = async (asks: number) => {
    for (let asked = 0; asked < asks; asked += 1) {
      const { status, headers } = await ask(account, model.id);
      expect(status).toBe(200);
      const limit = headers.get('x-ratelimit-limit-requests');
      // What a function has not seen of the parts yet, it doesn't tell.
      if (limit === null) continue;
      limits.push(limit);
      expect(Number(headers.get('x-ratelimit-remaining-requests'))).toBeGreaterThan(350);
    }
  };

  expect(await grow(account.keyId)).toBe(true);
  await askSome(8);
  const [own, part] = await partsOf(account.keyId);
  if (!own || !part) throw new Error('no parts');
  const share = { nanoUsd: 0, requests: 150, atOnce: 0 };
  expect(await happens(moving([{ from: part, share }], own, Date.now()))).toBe(true);
  await askSome(8);

  expect(limits.length).toBeGreaterThan(8);
  expect(new Set(limits)).toEqual(new Set(['400']));
});

it('fails a job whose key has no budget that will ever cover it', async () => {
  const account = await chat.newAccount({ budget_usd: 0 });

  const { id } = await submit(account, chatJob('a question', { model: chat.newModel().id }));
  const failed = await until(account, id);

  expect(failed).toMatchObject({ status: 'failed', retry_count: 0 });
  expect(failed.error).toMatch(/^budget_exceeded: /);
});

it.concurrent('keeps a job queued until its budget renews, and counts no retry', {
  tags: 'exhaustive',
}, async () => {
  const model = chat.newModel('plain', { kind: 'answer', content: 'at last', usage });
  const refusal = await ask(await chat.newAccount({ budget_usd: 0 }), model.id, {
    max_tokens: null,
  });
  const holdUsd = Number(refusal.body.error.budget['request_max_usd']);
  const account = await chat.newAccount({ budget_usd: holdUsd + costUsd / 2, duration: '4s' });
  await ask(account, model.id);

  const { id } = await submit(account, chatJob('Hi', { model: model.id }));
  const waiting = await until(
    account,
    id,
    ({ error, status }) => Boolean(error) || status === 'done',
  );
  const done = await until(account, id);

  expect(waiting.status).toBe('queued');
  expect(waiting.error).toMatch(/^budget_exceeded: .*resets at/);
  expect(done).toMatchObject({ status: 'done', retry_count: 0, error: null });
});

it.concurrent.each([null, '30d'])(
  'runs every job that the budget affords, one after the other if need be (%s)',
  { tags: 'exhaustive' },
  async (duration) => {
    const model = chat.newModel('plain', () => ({
      kind: 'answer',
      content: 'x',
      usage,
      delayMs: 50,
    }));
    const refusal = await ask(await chat.newAccount({ budget_usd: 0 }), model.id, {
      max_tokens: 1_000,
    });
    const holdUsd = Number(refusal.body.error.budget['request_max_usd']);
    const account = await chat.newAccount({ budget_usd: 3 * holdUsd, duration });

    const submitted = Array.from({ length: 6 }, () =>
      submit(account, chatJob('Hi', { model: model.id })),
    );
    const jobs = await Promise.all(submitted.map(async (job) => until(account, (await job).id)));

    expect(jobs.map(({ status, retry_count }) => [status, retry_count])).toEqual(
      Array(6).fill(['done', 0]),
    );
  },
);

it.concurrent('holds each attempt of a job by itself, and gives back what failed', {
  tags: 'exhaustive',
}, async () => {
  const failure = { kind: 'status', status: 500 } as const;
  const model = chat.newModel('plain', [failure, { kind: 'answer', content: 'yes', usage }]);
  const account = await chat.newAccount();

  const { id } = await submit(account, chatJob('Hi', { model: model.id }));
  const done = await until(account, id);

  const charges = await endedCharges(account);
  expect(done.status).toBe('done');
  expect(charges.map(({ status, job_id }) => [status, job_id])).toEqual([
    ['released', id],
    ['settled', id],
  ]);
  expect((await budgetOf(account)).used_usd).toBeCloseTo(costUsd, 9);
});

it('applies a new budget at once, and keeps what was spent', async () => {
  const model = chat.newModel('plain', { kind: 'answer', content: 'x', usage });
  const account = await chat.newAccount();
  await ask(account, model.id);

  await chat.changeBudget(account, 0.000001);
  const refused = await ask(account, model.id);

  expect(refused.status).toBe(429);
  expect(await budgetOf(account)).toMatchObject({
    max_usd: 0.000001,
    used_usd: costUsd,
    remaining_usd: 0,
  });
});

/** The result of whichever is the nth to finish. */
function nth<Value>(promises: Promise<Value>[], n: number): Promise<Value> {
  let finished = 0;
  return new Promise((resolve) => {
    for (const promise of promises) {
      void promise.then((value) => {
        if (finished++ === n) resolve(value);
      });
    }
  });
}

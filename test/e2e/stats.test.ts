import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../shared/http/errors.ts';
import type { ChatResult } from '../../shared/jobs/results/result.ts';
import { shared } from '../support/run/shared.ts';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { least, literal, most, type Refusal } from '../support/servers/refusals.ts';
import { type Stats, statsAfter, usedUsd } from '../support/servers/stats.ts';

const stage = await shared('stage');

interface BatchUse {
  requests: number;
  successful_requests: number;
  failed_requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  images: number;
  spend_usd: number;
}

interface BatchStats {
  days: (BatchUse & { date: string; tag: string })[];
  totals: BatchUse;
  jobs: Record<string, number>;
  jobs_since: string;
}

const get = async <Body>(target: Target, path: string) =>
  (await call<Body>(target, 'GET', path)).body;

/** Completes a chat, as a client would; answers its usage. */
async function complete(target: Target, model: string) {
  const messages = [{ role: 'user', content: 'Hello' }];
  const { status, body } = await call<{ usage: ChatResult['usage'] }>(
    target,
    'POST',
    '/v1/chat/completions',
    { model, messages },
  );
  expect(status).toBe(200);
  return body.usage;
}

describe('a key without use', () => {
  it.each(['1d', '7d', '30d', 'all'])('has stats of nothing for %s', async (period) => {
    const caller = await newCaller(stage);

    const stats = await get<Stats>(caller, `/user/stats?period=${period}`);

    const tokens = { total: 0, prompt: 0, completion: 0 };
    const nothing = { requests: 0, estimated_cost_usd: 0, days: [], models: [] };
    expect(stats).toEqual({ period, tokens, ...nothing });
  });

  it('has batch stats of nothing', async () => {
    const caller = await newCaller(stage);

    const stats = await get<BatchStats>(caller, '/user/batch-stats');

    expect(stats).toEqual({
      days: [],
      totals: {
        requests: 0,
        successful_requests: 0,
        failed_requests: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        images: 0,
        spend_usd: 0,
      },
      jobs: { queued: 0, processing: 0, done: 0, failed: 0, cancelled: 0 },
      jobs_since: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/),
    });
  });
});

describe('use', () => {
  it('appears by model, and comes to what the budget says was spent', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await newCaller(stage);
    const other = await newCaller(stage);

    const first = await complete(caller, 'gpt-5-mini');
    const second = await complete(caller, 'gpt-4.1');
    const third = await complete(caller, 'gpt-4.1');
    const stats = await statsAfter(caller, 3);

    const tokens = first.total_tokens + second.total_tokens + third.total_tokens;
    expect(stats).toMatchObject({ period: '7d', requests: 3, tokens: { total: tokens } });
    expect(stats.estimated_cost_usd).toBe(await usedUsd(caller));
    expect(stats.models).toEqual([
      {
        ...{ name: 'gpt-4.1', requests: 2, pages: 0, cost_usd: expect.any(Number) },
        tokens: second.total_tokens + third.total_tokens,
      },
      {
        ...{ name: 'gpt-5-mini', requests: 1, pages: 0, cost_usd: expect.any(Number) },
        tokens: first.total_tokens,
      },
    ]);
    const cost = stats.models.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
    expect(cost).toBeCloseTo(stats.estimated_cost_usd, 9);
    expect(await get(caller, '/user/stats?period=all')).toEqual({ ...stats, period: 'all' });
    expect(await get(other, '/user/stats')).toMatchObject({ requests: 0, models: [] });
  });

  it('of a batch job appears under its tags', { tags: 'exhaustive' }, async () => {
    const caller = await newCaller(stage);
    const other = await newCaller(stage);

    const { id } = await submit(caller, chatJob('Hello'));
    const { usage, cost_usd } = (await until(caller, id)).result as ChatResult;
    await complete(caller, 'gpt-5-mini');
    await statsAfter(caller, 2);
    const { days, totals, jobs } = await get<BatchStats>(caller, '/user/batch-stats?days=1');

    const use = {
      requests: 1,
      successful_requests: 1,
      failed_requests: 0,
      prompt_tokens: usage.prompt_tokens,
      completion_tokens: usage.completion_tokens,
      images: 0,
      spend_usd: cost_usd,
    };
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect(days).toEqual([
      { date, tag: 'batch', ...use },
      { date, tag: 'batch:chat', ...use },
    ]);
    expect(totals).toEqual(use);
    expect(jobs).toEqual({ queued: 0, processing: 0, done: 1, failed: 0, cancelled: 0 });
    expect(await get(other, '/user/batch-stats')).toMatchObject({ days: [], jobs: { done: 0 } });
  });
});

describe('a query', () => {
  const periods = literal("'1d', '7d', '30d' or 'all'");
  const wholeNumber: Refusal = [
    'int_parsing',
    'Input should be a valid integer, unable to parse string as an integer',
  ];

  it.each<[string, string, Refusal]>([
    ['stats?period=2d', 'period', periods],
    ['stats?period=', 'period', periods],
    ['stats?period=7D', 'period', periods],
    ['batch-stats?days=0', 'days', least(1)],
    ['batch-stats?days=-1', 'days', least(1)],
    ['batch-stats?days=367', 'days', most(366)],
    ['batch-stats?days=1.5', 'days', wholeNumber],
    ['batch-stats?days=', 'days', wholeNumber],
    ['batch-stats?days=week', 'days', wholeNumber],
  ])('is refused: %s', async (path, field, [type, msg]) => {
    const { status, body } = await call<{ detail: FieldError[] }>(stage, 'GET', `/user/${path}`);

    expect(status).toBe(422);
    expect(body).toEqual({ detail: [{ loc: ['query', field], type, msg }] });
  });

  it.each(['stats?period=30d&extra=1', 'batch-stats?days=1', 'batch-stats?days=366'])(
    'is answered: %s',
    async (path) => {
      expect((await call(stage, 'GET', `/user/${path}`)).status).toBe(200);
    },
  );
});

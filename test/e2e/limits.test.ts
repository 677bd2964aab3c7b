import { expect, it } from 'vitest';
import type { LimitsReport } from '../../shared/keys/limits-report.ts';
import { createTeam } from '../../shared/keys/team.ts';
import { furtherSummed } from '../../shared/ledger/compare-account.ts';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { post } from '../support/servers/event-reader.ts';

const chat = await useChatStage();

interface Refusal {
  error: { code: string; message: string; budget?: object; rate_limit?: object };
}

const limitsOf = async (caller: Target, query = '') =>
  (await call<LimitsReport>(caller, 'GET', `/user/limits${query}`)).body.limits;

const ask = (caller: Target, model: string, rest: object = {}) =>
  call<Refusal>(caller, 'POST', '/v1/chat/completions', {
    ...{ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100, ...rest },
  });

const spentOf = (charges: { cost?: number }[]) =>
  charges.reduce((sum, { cost = 0 }) => sum + cost, 0);

it('holds a call on every window, model and team that limits it, and each spends what it cost', async () => {
  const [model, other] = [chat.newModel().id, chat.newModel().id];
  const team = await createTeam({
    ...{ name: 'Limited', budget_usd: null, duration: null, limits: [`${model}:budget-usd=9/day`] },
  });
  const limits = [
    'budget-usd=5/day',
    'budget-usd=100/month@Europe/Berlin',
    `${model}:budget-usd=50/30d`,
  ];
  const account = await chat.newAccount({ team: team.id, limits });

  await ask(account, model);
  await ask(account, other);
  await (await post(account, '/chat/stream', { message: 'Hi', model })).text();
  await until(account, (await submit(account, chatJob('Hi', { model }))).id);

  const charges = await endedCharges(account);
  const ofModel = spentOf(charges.filter((charge) => charge.model === model));
  const spent = Object.fromEntries(
    (await limitsOf(account)).map(({ of, limit, used, held }) => [
      `${of} ${limit}`,
      [used * 1e9, held],
    ]),
  );
  expect(charges).toHaveLength(4);
  expect(ofModel).toBeGreaterThan(0);
  expect(spent).toEqual({
    'key budget-usd=5/day': [expect.closeTo(spentOf(charges), 3), 0],
    'key budget-usd=100/month@Europe/Berlin': [expect.closeTo(spentOf(charges), 3), 0],
    [`key ${model}:budget-usd=50/30d`]: [expect.closeTo(ofModel, 3), 0],
    [`team ${model}:budget-usd=9/day`]: [expect.closeTo(ofModel, 3), 0],
  });
  for (const sum of await furtherSummed(account.keyId)) {
    for (const charge of charges) sum.add(charge);
    expect(sum.differences()).toEqual([]);
  }
});

it('refuses a call by the limit that lacks the money, named as its operator wrote it', async () => {
  const [model, other] = [chat.newModel().id, chat.newModel().id];
  const account = await chat.newAccount({ limits: [`${model}:budget-usd=0.000001/month`] });

  const refused = await ask(account, model);
  const served = await ask(account, other);

  expect(served.status).toBe(200);
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({
    code: 'budget_exceeded',
    message: expect.stringContaining(
      `of the budget of the limit ${model}:budget-usd=0.000001/month $`,
    ),
    budget: { limit: `${model}:budget-usd=0.000001/month`, max_usd: 0.000_001 },
  });
});

it('gives each customer an account of its own with its first call, and those that are not named one together', async () => {
  const model = chat.newModel().id;
  const account = await chat.newAccount({ limits: ['customer:budget-usd=2/day'] });

  for (const customer of ['ada', 'bob', 'ada'])
    await ask(account, model, { metadata: { customer } });
  await ask(account, model);

  const used = async (query: string) => (await limitsOf(account, query)).map((each) => each.used);
  const [ada] = await used('?customer=ada');
  const [bob] = await used('?customer=bob');
  expect(ada).toBeCloseTo(2 * (bob ?? 0), 12);
  expect(bob).toBeGreaterThan(0);
  expect(await used('')).toEqual([bob]);
  expect(await used('?customer=eve')).toEqual([0]);
});

it('counts for each user that a request names, where its limit says so, in every dialect', async () => {
  const model = chat.newModel().id;
  const limits = ['user:budget-usd=2/day', 'customer:budget-usd=3/day'];
  const account = await chat.newAccount({ limits });
  const long = 'x'.repeat(10_000);
  const messages = [{ role: 'user', content: 'Hi' }];

  await ask(account, model, { user: 'ada' });
  await ask(account, model, { safety_identifier: 'ada', metadata: { note: 'kept' } });
  await call(account, 'POST', '/v1/responses', { model, input: 'Hi', user: 'ada' });
  await call(account, 'POST', '/v1/messages', {
    ...{ model, messages, max_tokens: 100, metadata: { user_id: 'ada' } },
  });
  await ask(account, model, { user: 'ada', metadata: { customer: 'bob' } });
  await ask(account, model, { user: long });
  await ask(account, model, { user: '\ud800' });
  await ask(account, model);

  const charges = await endedCharges(account);
  const named = (name: string) =>
    spentOf(charges.filter(({ metadata }) => metadata?.['customer'] === name));
  const used = async (name: string) =>
    (await limitsOf(account, `?customer=${name}`)).map((each) => each.used * 1e9);
  const names = charges.flatMap(({ metadata }) => metadata?.['customer'] ?? []);
  expect(names.filter((name) => name === 'ada')).toHaveLength(4);
  expect(names.filter((name) => !['ada', 'bob'].includes(name)).map((name) => name.length)).toEqual(
    [22, 22],
  );
  expect(charges.find(({ metadata }) => metadata?.['note'])?.metadata).toEqual({
    ...{ note: 'kept', customer: 'ada' },
  });
  expect(await used('ada')).toEqual([expect.closeTo(named('ada'), 3), 0]);
  expect(await used('bob')).toEqual(Array(2).fill(expect.closeTo(named('bob'), 3)));
  const [byUser = 0, byCustomer = 0] = await used('');
  expect(byUser).toBeCloseTo(spentOf(charges.filter(({ metadata }) => !metadata)), 3);
  expect(byCustomer).toBeCloseTo(spentOf(charges) - named('bob'), 3);
});

it('asks no fallback that a limit of its own counts, as the call is not held there', async () => {
  const model = chat.newModel('routed', { kind: 'status', status: 503 });
  const [limited, free] = [chat.newModel('dear'), chat.newModel('dear')];
  const limits = ['budget-usd=5/day', `${model.id}:budget-usd=5/day`, `${limited.id}:budget-usd=0`];
  const account = await chat.newAccount({ limits });

  const none = await ask(account, model.id, { models: [limited.id] });
  const served = await ask(account, model.id, { models: [limited.id, free.id] });
  const own = await ask(account, limited.id);

  expect([none.status, served.status, own.status]).toEqual([503, 200, 429]);
  expect(served.headers.get('x-quire-model')).toBe(free.id);
  expect((await limitsOf(account)).map(({ used }) => used > 0)).toEqual([true, true, false]);
});

it('eight first calls at once of a customer with money for none reach no upstream', async () => {
  const model = chat.newModel();
  const account = await chat.newAccount({ limits: ['customer:budget-usd=0.000001/day'] });

  const answers = await Promise.all(
    Array.from({ length: 8 }, () => ask(account, model.id, { metadata: { customer: 'new' } })),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(429));
  expect(await endedCharges(account)).toEqual([]);
});

it('counts tokens of a minute, held at their bound and settled as they were, and tells what is left', async () => {
  const model = chat.newModel().id;
  const account = await chat.newAccount({ limits: ['tokens-per-minute=1000'] });

  const served = await ask(account, model);
  const { headers } = served;
  const answers = await Promise.all(Array.from({ length: 64 }, () => ask(account, model)));
  const refused = answers.find(({ status }) => status === 429);
  const tooLarge = await ask(account, model, { max_tokens: 2_000 });

  const charges = await endedCharges(account);
  const held = charges.map(
    ({ prompt_tokens = 0, completion_tokens = 0 }) => prompt_tokens + completion_tokens,
  );
  expect(served.status).toBe(200);
  expect(headers.get('x-ratelimit-limit-tokens')).toBe('1000');
  expect(Number(headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(900);
  expect(headers.get('x-ratelimit-reset-tokens')).toMatch(/^\d+s$/);
  expect(held.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1000);
  expect(refused?.body.error).toMatchObject({
    code: 'rate_limit_exceeded',
    rate_limit: { limit: 'tokens-per-minute=1000', max_tokens: 1000 },
  });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(tooLarge.body.error.message).toContain('Send less, or set max_tokens.');
});

it('limits what a model may write to the tokens that a minute has left', async () => {
  const model = chat.newModel().id;
  const account = await chat.newAccount({ limits: ['tokens-per-minute=1000'] });

  const { status, headers } = await ask(account, model, { max_tokens: undefined });

  expect(status).toBe(200);
  expect(Number(headers.get('x-quire-max-tokens'))).toBeLessThan(1000);
});

it('limits requests of a model in a minute, and of a customer at once', async () => {
  const [model, other] = [chat.newModel().id, chat.newModel().id];
  const limits = [`${model}:requests-per-minute=1`, 'customer:max-concurrent=0'];
  const account = await chat.newAccount({ limits: limits.slice(0, 1) });
  const none = await chat.newAccount({ limits: limits.slice(1) });

  const statuses = [
    await ask(account, model),
    await ask(account, model),
    await ask(account, other),
  ];
  const [, refused] = statuses;
  const never = await ask(none, model);

  expect(statuses.map(({ status }) => status)).toEqual([200, 429, 200]);
  expect(refused?.body.error.rate_limit).toEqual({ limit: limits[0], max_requests: 1 });
  expect(never.body.error.rate_limit).toEqual({ limit: limits[1], max_requests: 0 });
});

import { expect, it } from 'vitest';
import type { LimitsReport } from '../../shared/keys/limits-report.ts';
import { createTeam } from '../../shared/keys/team.ts';
import { putInTeam } from '../../shared/ledger/team.ts';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { post } from '../support/servers/event-reader.ts';

const chat = await useChatStage();

const limitsOf = async (caller: Target) =>
  (await call<LimitsReport>(caller, 'GET', '/user/limits')).body;

const ask = (caller: Target, model: string, rest: object = {}) =>
  call<{ error: { code: string; message: string; budget: object } }>(
    caller,
    'POST',
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100, ...rest },
  );

it('has completions, streams, chats and jobs of its keys spent by the team, to the nano-dollar', async () => {
  const team = await createTeam({ name: 'Everything', budget_usd: 10, duration: '1mo' });
  const keys = [
    await chat.newAccount({ team: team.id, budget_usd: null }),
    await chat.newAccount({ team: team.id }),
  ] as const;
  const model = chat.newModel();

  await ask(keys[0], model.id);
  await ask(keys[1], model.id);
  await (await post(keys[0], '/chat/stream', { message: 'Hi', model: model.id })).text();
  await until(keys[1], (await submit(keys[1], chatJob('Hi', { model: model.id }))).id);

  const charges = (await Promise.all(keys.map(endedCharges))).flat();
  const spent = charges.reduce((sum, { cost = 0 }) => sum + cost, 0);
  const { team: reported, budget } = await limitsOf(keys[0]);
  expect(charges).toHaveLength(4);
  expect(charges.every((charge) => charge.team === team.id)).toBe(true);
  expect(spent).toBeGreaterThan(0);
  expect(reported).toMatchObject({ name: 'Everything', max_usd: 10, held_usd: 0, duration: '1mo' });
  expect(Math.round((reported?.used_usd ?? 0) * 1e9)).toBe(spent);
  expect(budget.used_usd).toBeLessThan(reported?.used_usd ?? 0);
});

it('tells a key of the team’s budget where that has less, and whose budget refuses', async () => {
  const team = await createTeam({ name: 'Nearly spent', budget_usd: 0.009, duration: null });
  const account = await chat.newAccount({ team: team.id });
  const model = chat.newModel();

  const served = await ask(account, model.id);
  const limited = await ask(account, model.id, { max_tokens: undefined });
  const refused = await ask(account, model.id, { max_tokens: 1000 });

  expect(served.status).toBe(200);
  expect(Number(served.headers.get('x-quire-budget-remaining-usd'))).toBeLessThan(0.009);
  expect(Number(limited.headers.get('x-quire-max-tokens'))).toBeLessThan(900);
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({
    code: 'budget_exceeded',
    message: expect.stringContaining("of the budget of this key's team, Nearly spent, $"),
    budget: { limit: 'team_budget', max_usd: 0.009, reset_at: null },
  });
});

it('lets a key that leaves its team spend its own budget again', async () => {
  const team = await createTeam({ name: 'Spent', budget_usd: 0, duration: null });
  const account = await chat.newAccount({ team: team.id });
  const model = chat.newModel();

  const refused = await ask(account, model.id);
  await putInTeam(account.keyId, null);
  const served = await ask(account, model.id);

  expect(refused.body.error.message).toContain(
    "the budget of this key's team, Spent, is $0, so it can pay for nothing",
  );
  expect(served.status).toBe(200);
  expect((await limitsOf(account)).team).toBeNull();
});

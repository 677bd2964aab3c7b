import { expect, it } from 'vitest';
import { call } from '../../support/servers/api.ts';
import { endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { poll } from '../../support/servers/poll.ts';

const chat = await useChatStage({ own: true, env: { LEASES: 'on' } });

const limitsOf = async (account: Awaited<ReturnType<typeof chat.newAccount>>) =>
  (
    await call<{ budget: { used_usd: number; remaining_usd: number } }>(
      account,
      'GET',
      '/user/limits',
    )
  ).body.budget;

it('calls of a busy key that share holds are charged once each, and nothing stays held', async () => {
  const account = await chat.newAccount({ budget_usd: 10, max_concurrent: null });
  const { id: model } = chat.newModel('plain', { kind: 'answer', content: 'Hello.' });
  const body = { model, messages: [{ role: 'user', content: 'Hello?' }], max_tokens: 20 };
  const ask = () => call(account, 'POST', '/v1/chat/completions', body);

  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    statuses.push(...answers.map(({ status }) => status));
  }
  const charges = await endedCharges(account);

  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(charges).toHaveLength(200);
  const cost = charges.reduce((sum, { cost = 0 }) => sum + cost, 0) / 1e9;
  const limits = await poll(
    () => limitsOf(account),
    ({ remaining_usd, used_usd }) => Math.abs(10 - used_usd - remaining_usd) < 1e-9,
  );
  expect(limits.used_usd).toBeCloseTo(cost, 9);
});

it('a budget is spent by calls at once to the last that fits, and not beyond', async () => {
  const account = await chat.newAccount({ budget_usd: 0.002, max_concurrent: null });
  const { id: model } = chat.newModel('plain', { kind: 'answer', content: 'Hello.' });
  const body = { model, messages: [{ role: 'user', content: 'Hello?' }], max_tokens: 20 };
  const ask = () => call(account, 'POST', '/v1/chat/completions', body);

  const refused: number[] = [];
  while (refused.length < 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    refused.push(...answers.map(({ status }) => status).filter((status) => status !== 200));
  }

  expect(new Set(refused)).toEqual(new Set([429]));
  const charges = await endedCharges(account);
  const spent = charges.reduce((sum, { cost = 0 }) => sum + cost, 0) / 1e9;
  expect(spent).toBeLessThanOrEqual(0.002);
  const { used_usd } = await limitsOf(account);
  expect(used_usd).toBeCloseTo(spent, 9);
});

import { expect, it } from 'vitest';
import { budgetOf, endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { complete } from '../support/servers/event-reader.ts';
import { completionOf } from '../support/servers/model-stub-pieces.ts';

const chat = await useChatStage();

/** Asks a model that answers so; returns the charge, and what the key then has. */
async function chargeFor(answer: object) {
  const body = { ...JSON.parse(completionOf('12345678', null)), ...answer };
  const pieces = [JSON.stringify(body)];
  const { id } = chat.newModel('plain', { kind: 'pieces', pieces });
  const account = await chat.newAccount({ budget_usd: 5 });
  const { status } = await complete(account, { model: id });
  const [charge] = await endedCharges(account);
  return { status, charge, budget: await budgetOf(account) };
}

const usage = (prompt_tokens: unknown, completion_tokens: unknown, cached_tokens?: unknown) => ({
  usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
});

it.each([
  ['less than nothing cached', usage(10, 2, -1_000_000)],
  ['words', usage('abc', 'def')],
  ['nothing beside an answer', usage(0, 0)],
])('a provider that reports %s makes no call free or dear', async (_, lie) => {
  const { status, charge, budget } = await chargeFor(lie);

  expect(status).toBe(200);
  expect(charge).toMatchObject({ status: 'settled', figures: 'estimated', completion_tokens: 2 });
  expect(budget.used_usd).toBeGreaterThan(0);
  expect(budget.used_usd).toBeLessThan(0.001);
  expect(budget.remaining_usd).toBeCloseTo(5 - budget.used_usd, 9);
});

it.each([
  ['more than was held', usage(90_000, 2), 90_000],
  ['a number beyond all', usage(2 ** 53 - 1, 2), 100_000],
  ['three billion tokens', usage(3e9, 2), 100_000],
])('a provider that reports %s is paid what was held', async (_, lie, prompt_tokens) => {
  const { charge, budget } = await chargeFor(lie);

  expect(charge).toMatchObject({ status: 'settled', cost: charge?.hold, prompt_tokens });
  expect(charge?.figures).toBe('estimated');
  expect(budget.used_usd).toBe((charge?.hold ?? 0) / 1e9);
});

it('an answer by another model is settled all the same', async () => {
  const { charge } = await chargeFor({ ...usage(10, 2), model: 'some-other-model' });

  expect(charge).toMatchObject({ status: 'settled', figures: 'exact', cost: 30_000 });
});

const marked = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } };
it.each([
  ['service_tier', { service_tier: 'priority' }],
  ['tools.0.googleSearch', { tools: [{ googleSearch: {} }] }],
  ['tool_choice.type', { tool_choice: { type: 'web_search_preview' } }],
  ['messages.0.content.0.cache_control', { messages: [{ role: 'user', content: [marked] }] }],
  ['modalities.1', { modalities: ['text', 'audio'] }],
])('%s could change the price, and is refused before anything is held', async (param, asked) => {
  const model = chat.newModel();
  const account = await chat.newAccount();

  const response = await complete(account, { model: model.id, ...asked });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  expect(model.upstreams[0]?.requests()).toEqual([]);
  expect(await budgetOf(account)).toMatchObject({ used_usd: 0 });
});

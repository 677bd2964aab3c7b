import { expect, it } from 'vitest';
import { shared } from '../support/run/shared.ts';
import { call } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';

const stage = await shared('stage');

const completions = '/v1/chat/completions';
it('a key of 5 cents has 20 short conversations with gpt-5-mini', async () => {
  const caller = await newCaller(stage, { budget_usd: 0.05 });
  const messages: object[] = [];

  for (let turn = 0; turn < 20; turn++) {
    messages.push({ role: 'user', content: `Say something short, for the ${turn}th time.` });
    const { status, body } = await call<{ choices: { message: object }[] }>(
      caller,
      'POST',
      completions,
      { model: 'gpt-5-mini', messages },
    );
    expect(status).toBe(200);
    messages.push(body.choices[0]?.message ?? {});
  }

  const { body } = await call<{ budget: Record<string, number> }>(caller, 'GET', '/user/limits');
  const { used_usd, held_usd } = body.budget;
  expect(held_usd).toBe(0);
  expect(used_usd).toBeGreaterThan(0);
  expect(used_usd).toBeLessThan(0.05);
});

it('a key of 10 dollars has nine calls of gpt-5 served at once', async () => {
  const caller = await newCaller(stage, { budget_usd: 10 });

  const answers = await Promise.all(
    Array.from({ length: 9 }, () =>
      call(caller, 'POST', completions, {
        model: 'gpt-5',
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
});

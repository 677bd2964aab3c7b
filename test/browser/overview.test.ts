import { describe, expect, it } from 'vitest';
import { call } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { statsAfter } from '../support/servers/stats.ts';
import { useConsole } from './use-console.ts';

const { newAccount, newModel } = await useChatStage();
const { open } = await useConsole();

const usage = { prompt_tokens: 1_000, completion_tokens: 400 };
const model = newModel('plain', { kind: 'answer', content: 'Yes.', usage });
const ask = { model: model.id, messages: [{ role: 'user', content: 'Well?' }] };

describe('the overview', () => {
  it('shows a new key what it has, and that nothing was used', async () => {
    const page = await open(await newAccount({ budget_usd: 12, images_per_hour: 40 }));

    await page.getByText('$12.00 left of $12.00').waitFor();
    await page.getByText('40 left of 40').waitFor();
    await page.getByText('Nothing was used in this period.').waitFor();
    await page.getByText('No job ran in this period.').waitFor();
    await page.getByText('nothing spent in 7 days').waitFor();
  });

  it('shows what a key has spent, on which model, and when it runs out', async () => {
    const account = await newAccount({ budget_usd: 1, duration: '30d' });
    for (let n = 0; n < 2; n += 1) await call(account, 'POST', '/v1/chat/completions', ask);
    await statsAfter(account, 2);

    const page = await open(account);

    await page.getByText('$0.99 left of $1.00').waitFor();
    await page.getByRole('img', { name: 'Budget: $0.01 spent, $0.00 held, $0.99 left' }).waitFor();
    await page.getByText('$0.01 a day over 7 days').waitFor();
    await page.getByText('not before it resets').waitFor();
    await page.getByText('in 30 days').waitFor();
    const row = page.getByRole('row', { name: model.id });
    expect(await row.first().innerText()).toMatch(/\$0\.01\s+100 %\s+2\s+0\s+2,800\s+0/);
    await page.getByRole('img', { name: 'Spend by day' }).locator('.peak').waitFor();
  });

  it('goes from period to period by the keyboard', async () => {
    const page = await open(await newAccount());
    await page.getByText('Nothing was used').waitFor();
    const asked = page.waitForRequest((request) =>
      request.url().endsWith('/user/stats?period=30d'),
    );

    await page.getByLabel('7 days').focus();
    await page.keyboard.press('ArrowRight');

    await asked;
    expect(await page.getByLabel('30 days').isChecked()).toBe(true);
  });

  it('says so when the budget is spent', async () => {
    const account = await newAccount({ budget_usd: 0 });

    const page = await open(account);

    await page.getByText('The budget is spent: calls are refused').waitFor();
  });

  it('says so when the service can’t be reached, and goes on by itself', async () => {
    const page = await open(await newAccount());
    await page.getByText('left of $100.00').waitFor();
    await page.route('**/user/limits', (route) => route.abort());

    await page.getByText('The service can’t be reached.').waitFor();
    await page.getByText('left of $100.00').waitFor();
    await page.unroute('**/user/limits');
    await page.getByRole('button', { name: 'Try again' }).click();

    await page.getByText('The service can’t be reached.').waitFor({ state: 'detached' });
  });

  it('shows no figures of another period if those of the chosen one don’t come', async () => {
    const page = await open(await newAccount());
    await page.getByText('Nothing was used in this period.').waitFor();
    await page.route('**/user/stats?period=30d', (route) => route.abort());

    await page.getByText('30 days').click();

    await page.getByText('The service can’t be reached.').waitFor();
    expect(await page.getByText('Nothing was used in this period.').count()).toBe(0);
  });
});

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { call } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { statsAfter } from '../support/servers/stats.ts';
import { goTo, useConsole } from './use-console.ts';

const { newAccount, newModel } = await useChatStage();
const { newPage, takeFaults } = await useConsole();

const usage = { prompt_tokens: 1_000, completion_tokens: 400 };
const model = newModel('plain', { kind: 'answer', content: 'Yes.', usage });

/** Opens the overview with a key, in a browser that is made otherwise before the console is loaded. */
async function openIn(change: (page: Page) => Promise<unknown>) {
  const account = await newAccount();
  const page = await newPage(account);
  await change(page);
  await page.goto(`${account.base_url}/console#key=${account.api_key}`);
  return { page, account };
}

const speaking = (language: string) => (page: Page) =>
  page.addInitScript((spoken) => {
    Object.defineProperty(Navigator.prototype, 'language', { get: () => spoken });
  }, language);

describe('the console is drawn', () => {
  it.each(['en-US@posix', '', 'C', 'de-DE'])('where the language is %j', async (language) => {
    const { page, account } = await openIn(speaking(language));
    const messages = [{ role: 'user', content: 'Well?' }];
    await call(account, 'POST', '/v1/chat/completions', { model: model.id, messages });
    await statsAfter(account, 1);

    await page.reload();

    await page.getByText('left of $100.00').waitFor();
    await page.getByRole('img', { name: 'Spend by day' }).locator('.peak').waitFor();
  });

  it('where pages may store nothing', async () => {
    const { page, account } = await openIn((page) =>
      page.addInitScript(() => {
        Object.defineProperty(window, 'sessionStorage', {
          get() {
            throw new DOMException('Access is denied for this document', 'SecurityError');
          },
        });
      }),
    );
    await page.getByText('left of $100.00').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();

    await page.getByLabel('API key').fill(account.api_key);
    await page.getByLabel('Keep it').check();
    await page.keyboard.press('Enter');

    await page.getByText('left of $100.00').waitFor();
    await page.getByText('stays in this page until you leave or reload it').waitFor();
  });
});

describe('an error', () => {
  it('while a page is drawn is told in its place, and the others go on', async () => {
    const { page } = await openIn((page) =>
      page.route('**/user/limits', (route) => route.fulfill({ json: { ocr: {} } })),
    );

    const alert = page.getByRole('alert');
    await alert.getByText('This page could not be drawn.').waitFor();
    expect(await alert.innerText()).toContain('What went wrong: Cannot');
    // A page that doesn't read the limits.
    await goTo(page, 'jobs');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await alert.waitFor({ state: 'detached' });
    await goTo(page, 'overview');
    await alert.waitFor();
    await page.unroute('**/user/limits');
    await page.getByRole('button', { name: 'Load it again' }).click();

    await page.getByText('left of $100.00').waitFor();
    // The browser's own console has it too, for whoever mends it.
    const faults = takeFaults();
    expect(faults).not.toEqual([]);
    for (const fault of faults) expect(fault).toMatch(/undefined/);
  });

  it('before anything is drawn is told on the page', async () => {
    const { page } = await openIn((page) =>
      page.addInitScript(() => {
        history.replaceState = () => {
          throw new Error('There is no history.');
        };
      }),
    );

    await page.getByText('This page could not be drawn.').waitFor();
    await page.getByText('What went wrong: There is no history.').waitFor();
    await page.getByRole('button', { name: 'Load it again' }).waitFor();
    expect(takeFaults()).toEqual(['There is no history.']);
  });
});

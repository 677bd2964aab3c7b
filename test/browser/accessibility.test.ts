import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../shared/jobs/kinds/batch/batch.ts';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { call, chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { poll } from '../support/servers/poll.ts';
import { statsAfter } from '../support/servers/stats.ts';
import { goTo, useConsole } from './use-console.ts';

const { newAccount, newModel, stage } = await useChatStage();
const { newPage, open } = await useConsole();

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with a page as it is shown now, but for what is minor. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Makes a batch with a line that fails. Returns it once it has ended. */
async function batchOf(target: Target, model: string): Promise<Batch> {
  const body = { model, messages: [{ role: 'user', content: 'Well?' }] };
  const lines = [body, { ...body, messages: [{ role: 'user', content: 'refuse' }] }].map(
    (each, at) => JSON.stringify({ custom_id: `ask-${at}`, ...request, body: each }),
  );
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([lines.join('\n')]), 'requests.jsonl');
  const made = await fetch(`${target.base_url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.api_key}` },
    body: form,
  });
  const { id } = (await made.json()) as { id: string };
  const asked = { input_file_id: id, endpoint: request.url, completion_window: '24h' };
  const batch = await call<Batch>(target, 'POST', '/v1/batches', asked);
  const read = async () => (await call<Batch>(target, 'GET', `/v1/batches/${batch.body.id}`)).body;
  return poll(read, ({ status }) => status === 'completed');
}

const request = { method: 'POST', url: '/v1/chat/completions' };

/** A key with use of every kind, its job and its batch. */
async function usedAccount(): Promise<Target & { job: string; batch: Batch }> {
  const account = await newAccount({ budget_usd: 1, duration: '1d' });
  const content = '# Found\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nA [page](https://example.com).';
  const model = newModel('plain', ({ messages }) =>
    messages[0]?.content === 'refuse'
      ? { kind: 'status', status: 400 }
      : { kind: 'answer', content },
  );
  const { id } = await submit(account, chatJob('Well?', { model: model.id }));
  const batch = await batchOf(account, model.id);
  await Promise.all([until(account, id), statsAfter(account, 1)]);
  return { ...account, job: id, batch };
}

/** A job that took fields from a document of two pages: one stands there, one nowhere, and a list of two rows. */
async function extractJob(account: Target, filename = 'a.pdf'): Promise<string> {
  const content = JSON.stringify({
    total: { value: 12.5, quote: '12.50', page: 1 },
    iban: { value: 'DE89', quote: 'IBAN DE89', page: 1 },
    lines: ['Valve 12.50', 'Pump 30.00'].map((quote) => ({
      ...{ page: 2, quote },
      ...{ item: quote.split(' ')[0], amount: Number(quote.split(' ')[1]) },
    })),
  });
  const model = newModel('plain', { kind: 'answer', content });
  const text = 'Valve 12.50\n\nFlange 20.00\n\nPump 30.00';
  const pdf = await pdfOf([{ text: 'To be paid: 12.50' }, { text }]);
  const isPdf = filename.endsWith('.pdf');
  const bytes = isPdf ? Buffer.from(pdf) : Buffer.from(`To be paid: 12.50\n\n${text}`);
  const type = isPdf ? 'application/pdf' : 'text/plain';
  const file_data = `data:${type};base64,${bytes.toString('base64')}`;
  const file = { type: 'file', file: { filename, file_data } };
  const { id } = await submit(account, {
    ...{ job_type: 'chat', model: model.id },
    inline: { messages: [{ role: 'user', content: [file] }] },
    extract: { example: { total: 1.5, iban: '', lines: [{ item: '', amount: 1.5 }] } },
  });
  await until(account, id);
  return id;
}

const account = await usedAccount();
const fieldsJob = await extractJob(account);
const textJob = await extractJob(account, 'a.txt');
const model = newModel();

/** Every page in the state that a user sees it in, by what is awaited there. */
const pages: [at: string, show: (page: Page) => Promise<unknown>][] = [
  ['overview', (page) => page.getByRole('table').nth(1).waitFor()],
  ['jobs', (page) => page.locator('.tree .row').first().waitFor()],
  ['jobs/new', (page) => page.getByRole('button', { name: 'Submit' }).waitFor()],
  [`jobs/${account.job}`, (page) => page.locator('.markdown table').waitFor()],
  [
    `jobs/${fieldsJob}`,
    async (page) => {
      await page.getByAltText('Page 1').waitFor();
      await page.getByRole('button', { name: /^iban/ }).click();
      await page.getByLabel('Right value').waitFor();
    },
  ],
  [`jobs/${textJob}`, (page) => page.locator('.text-sheet .words').first().waitFor()],
  [
    `jobs/${account.batch.id.replace('batch_', 'job_')}`,
    async (page) => {
      await page.getByText('ask-1').waitFor();
      await page.getByRole('rowheader', { name: 'Answers' }).waitFor();
    },
  ],
  [
    'files',
    async (page) => {
      await page.getByRole('row').nth(1).waitFor();
      await page.getByRole('button', { name: 'Upload a file' }).click();
      await page.getByRole('button', { name: 'Delete' }).first().click();
    },
  ],
  [
    `files/${account.batch.input_file_id}`,
    (page) => page.getByRole('button', { name: 'Submit' }).waitFor(),
  ],
  ['jobs/job_none', (page) => page.getByText('There is no such job.').waitFor()],
  [
    'playground',
    async (page) => {
      const settings = page.getByText('Settings', { exact: true });
      if (!(await page.getByLabel('Model').isVisible())) await settings.click();
      await page.getByLabel('Model').selectOption(model.id);
      await page.getByLabel('Message').fill('Well?');
      await page.keyboard.press('Enter');
      await page.locator('.facts').waitFor();
      await page.getByText('This request as code').click();
    },
  ],
];

const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ].map((viewport) => ({ colorScheme, viewport })),
);

/** The texts of buttons and links that lie upon each other, within the parts of a page. */
const overlapping = (page: Page) =>
  page.evaluate(() => {
    const shown = [
      ...document.querySelectorAll('main :is(button, a, h1, h2, h3), header :is(button, a)'),
    ]
      .filter((each) => !each.closest('.scrolled, .pages, .choices') && each.checkVisibility())
      .map((each) => ({ each, ...each.getBoundingClientRect().toJSON() }))
      .filter(({ width, height }) => width > 1 && height > 1);
    return shown.flatMap((one, index) =>
      shown
        .slice(index + 1)
        .filter(
          (other) =>
            !one.each.contains(other.each) &&
            Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
            Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1,
        )
        .map((other) => `${one.each.textContent} and ${other.each.textContent}`),
    );
  });

describe.each(looks)('in $colorScheme on $viewport.width pixels', (look) => {
  it('nothing is wrong with any page, none is wider than the screen, and nothing lies upon another', async () => {
    const page = await open(account, look);
    for (const [at, show] of pages) {
      await goTo(page, at);
      await show(page);
      expect(await faultsOf(page), at).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, at).toBeLessThanOrEqual(look.viewport.width);
      expect(await overlapping(page), at).toEqual([]);
    }
  });

  it('nothing is wrong with the form for the key', async () => {
    const page = await newPage(account, look);
    await page.goto(`${stage.base_url}/console`);
    await page.getByLabel('API key').fill('sk-short');
    await page.keyboard.press('Enter');
    await page.getByText('That is no API key').waitFor();

    expect(await faultsOf(page)).toEqual([]);
  });
});

describe('the keyboard', () => {
  it('skips to the page, sees where it is, and begins a new page at its top', async () => {
    const page = await open(account);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.keyboard.press('Tab');
    const skip = page.getByRole('button', { name: 'Skip to the page' });
    expect(await skip.evaluate((element) => element === document.activeElement)).toBe(true);
    expect((await skip.boundingBox())?.height).toBeGreaterThan(20);
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(
        document.activeElement ?? document.body,
      );
      return `${outlineStyle} ${outlineWidth}`;
    });
    expect(outline).toBe('solid 3px');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });
});

describe('the reference', () => {
  it('is dark where the reader’s screen is', async () => {
    const page = await newPage(account, { colorScheme: 'dark' });
    await page.goto(`${stage.base_url}/docs`);
    await page
      .getByRole('heading', { name: /Quire|Batch/ })
      .first()
      .waitFor();
    const shade = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

    expect(await shade()).toBe('rgb(28, 32, 34)');
    await page.emulateMedia({ colorScheme: 'light' });

    await expect.poll(shade).not.toBe('rgb(28, 32, 34)');
  });

  it('opens from the console with the key in it, and not in its address', async () => {
    const page = await open(account);
    const opened = page.waitForEvent('popup');

    await page.getByRole('link', { name: 'Docs' }).click();

    const reference = await opened;
    expect(reference.url()).toBe(`${stage.base_url}/docs`);
    await reference.getByRole('button', { name: 'Authorize' }).click();
    await reference.getByText('Authorized').first().waitFor();
  });
});

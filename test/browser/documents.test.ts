import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { usd } from '../../lib/console/parts/format.ts';
import type { FolderResult } from '../../shared/jobs/results/result.ts';
import { shared } from '../support/run/shared.ts';
import { call, submit, until } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { goTo, useConsole } from './use-console.ts';

const stage = await shared('stage');
const { open } = await useConsole();
const folder = join(stage.dataDir, 'drive');

function put(name: string, content: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
  afterAll(() => rmSync(join(folder, name), { force: true }));
}

describe('a folder', () => {
  it('is submitted, and shows its files and which of them failed', async () => {
    put('valves.txt', 'Two valves were cracked.');
    put('pumps.txt', 'The pumps are well.');
    put('broken.pdf', '%PDF-1.7 and nothing more');
    const caller = await newCaller(stage, { drive_folders: ['local-drive'] });
    const page = await open(caller, { at: 'jobs/new' });

    await page.getByLabel('A folder').check();
    await page.getByLabel('Id of the folder').fill('local-drive');
    await page.getByRole('button', { name: 'Submit' }).click();

    await page.locator('h1 .badge', { hasText: 'done' }).waitFor();
    await page
      .getByText(/2 of 3 files, 1 failed/)
      .first()
      .waitFor();
    const broken = page.getByRole('listitem').filter({ hasText: 'broken.pdf' });
    await broken.getByText('failed').first().waitFor();
    await page.getByRole('button', { name: 'Retry failed files' }).waitFor();
    await page.getByRole('link', { name: 'valves.txt' }).click();
    await page.getByText('valves were cracked').first().waitFor();
    await page.getByRole('link', { name: /^job_/ }).waitFor();
    await page.getByRole('link', { name: 'My Drive' }).waitFor();

    await goTo(page, 'jobs');
    const folder = page.getByRole('listitem').filter({ hasText: 'My Drive' });
    const files = folder.getByRole('list').getByRole('link');
    await files.first().waitFor();
    expect(await files.allInnerTexts()).toEqual(['broken.pdf', 'pumps.txt', 'valves.txt']);
    await page.getByRole('button', { name: 'Files of My Drive' }).click();
    await files.first().waitFor({ state: 'detached' });

    await page.getByLabel('Failed').check();
    await files.first().waitFor();
    expect(await files.allInnerTexts()).toEqual(['broken.pdf']);
  });

  it('of more files than are listed at once shows the others when asked, and what all of it cost', async () => {
    const long = 'so it goes on '.repeat(200).trim();
    for (let number = 1; number <= 55; number++) {
      put(`plan-${number}.txt`, `Number: ${number}\nNote: ${number === 9 ? long : 'short'}\n`);
    }
    const caller = await newCaller(stage, { drive_folders: ['local-drive'] });
    const { id } = await submit(caller, {
      ...{ job_type: 'auto', drive: { folder_id: 'local-drive' } },
      extract: { example: { number: 7, note: 'short' } },
    });
    const { result } = await until(caller, id);
    const { cost_usd } = result as FolderResult;
    const page = await open(caller, { at: `jobs/${id}` });
    const table = page.getByRole('region', { name: 'Values of the files' });
    const rows = table.getByRole('row').filter({ hasText: 'plan-' });
    await rows.first().waitFor();
    await page.getByText(/50 of \d\d files are shown/).waitFor();
    expect(await rows.count()).toBeLessThanOrEqual(50);

    await page.getByRole('button', { name: 'Show more' }).click();

    await expect.poll(() => rows.count()).toBe(55);
    expect(await rows.filter({ hasText: 'plan-9.txt' }).innerText()).toContain(long.slice(-40));
    expect(await rows.filter({ hasText: 'plan-17.txt' }).innerText()).toMatch(/17\s+short/);
    expect(await page.getByText(/files are shown/).count()).toBe(0);
    expect(cost_usd).toBeGreaterThan(0);
    await page.getByText(`· ${usd(cost_usd)} ·`).waitFor();
    await goTo(page, 'jobs');
    const folder = page.getByRole('listitem').filter({ hasText: 'My Drive' });
    expect(await folder.locator('.cost').first().innerText()).toMatch(/^\$0\.\d+$/);
  });

  it('that the key may not read is refused in words', async () => {
    const page = await open(await newCaller(stage), { at: 'jobs/new' });

    await page.getByLabel('A folder').check();
    await page.getByLabel('Id of the folder').fill('elsewhere');
    await page.getByRole('button', { name: 'Submit' }).click();

    await page.locator('.refusal').first().waitFor();
    expect(await page.locator('.refusal').first().innerText()).toMatch(/folder|drive/i);
  });
});

describe('a searched answer', () => {
  it('shows its steps, and its sources as footnotes that a citation opens', async () => {
    const page = await open(await newCaller(stage), { at: 'playground' });
    await page.getByLabel('Web search').check();
    await page.getByLabel('Message').fill('Which Heron lamps are recalled?');
    await page.keyboard.press('Enter');
    await page.locator('.facts').getByText('1 search').waitFor();

    await page.getByText('3 steps').click();
    await page.getByText('Searching the web for').waitFor();
    const footnote = page.locator('.sources details').filter({ hasText: 'Heron' }).first();
    expect(await footnote.evaluate((element) => (element as HTMLDetailsElement).open)).toBe(false);
    await page.getByRole('button', { name: '[1]' }).first().click();

    await footnote.getByRole('link', { name: /heron-lamp\.html$/ }).waitFor();
  });

  it('from Drive is refused in words for a key without folders', async () => {
    const page = await open(await newCaller(stage), { at: 'playground' });
    await page.getByLabel('Drive folders').check();
    await page.getByLabel('Message').fill('What did the auditors find?');
    await page.keyboard.press('Enter');

    await page.getByText(/^connectors: /).waitFor();
  });
});

describe('a file', () => {
  it('has fields taken from it by an example, which must be JSON', async () => {
    // The table has the newest fifty files, of which a folder of more may lack this one.
    for (let number = 1; number <= 55; number++)
      rmSync(join(folder, `plan-${number}.txt`), { force: true });
    put('order.txt', 'Order 77 of two valves.');
    const caller = await newCaller(stage, { drive_folders: ['local-drive'] });
    const page = await open(caller, { at: 'jobs/new' });
    await page.getByLabel('A folder').check();
    await page.getByLabel('Id of the folder').fill('local-drive');
    await page.getByLabel('Read it, then take fields from it').check();
    await page.getByRole('textbox', { name: /^Fields/ }).fill('{"order": ');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('The fields are no JSON').waitFor();

    await page.getByRole('textbox', { name: /^Fields/ }).fill('{"order": "77"}');
    await page.getByLabel('Leave out values that stand on no page').check();
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Submit' }).click();

    expect((await sent).postDataJSON()).toEqual({
      priority: 10,
      job_type: 'ocr',
      drive: { folder_id: 'local-drive' },
      extract: { example: { order: '77' }, require_evidence: true },
    });
    await page.getByText('read, then fields').first().waitFor();
    await page.locator('h1 .badge', { hasText: 'done' }).waitFor();

    await page.getByRole('columnheader', { name: 'order' }).waitFor();
    const row = page.getByRole('row', { name: /^order\.txt/ });
    await row.getByRole('link', { name: 'order.txt' }).click();
    const pages = page.getByRole('region', { name: 'Pages' });
    await pages.getByText('Order 77 of two valves.').waitFor();
    await page.getByText('read ✓').waitFor();
    const { jobs } = (
      await call<{ jobs: { id: string }[] }>(
        ...([caller, 'GET', `/batch/jobs?parent_job_id=${page.url().split('/').at(-1)}`] as const),
      )
    ).body;
    await goTo(page, `jobs/${jobs[0]?.id}`);
    await pages.getByText('Order 77 of two valves.').waitFor();
  });
});

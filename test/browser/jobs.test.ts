import { describe, expect, it } from 'vitest';
import { chatJob, submit, until } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { gate } from '../support/servers/model-stub-pieces.ts';
import { goTo, hasRoute, useConsole } from './use-console.ts';

const { newAccount, newModel, stage } = await useChatStage();
const { open } = await useConsole();

const canStop = await hasRoute(stage, '/batch/jobs/{job_id}/stop');
const canRetry = await hasRoute(stage, '/batch/jobs/{job_id}/retry');

const body = (content: string) =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
  });

const waiting = { kind: 'status', status: 429, headers: { 'retry-after': '600' } } as const;

it('an address of no page is the overview’s', async () => {
  const page = await open(await newAccount(), { at: 'jbos' });

  await page
    .getByRole('link', { name: 'Overview', exact: true })
    .and(page.locator('[aria-current]'))
    .waitFor();
});

describe('a job', () => {
  it('is submitted, goes through its states before one’s eyes, and shows its result', async () => {
    const goOn = gate();
    async function* pieces() {
      await goOn.opened;
      yield body('# Found\n\nTwo **valves**.');
    }
    const model = newModel('plain', { kind: 'pieces', pieces: pieces() });
    const page = await open(await newAccount(), { at: 'jobs' });
    await page.getByText('No jobs yet.').waitFor();

    await page.getByRole('link', { name: 'New job' }).click();
    await page.getByLabel('Message', { exact: true }).fill('How many valves?');
    await page.getByLabel('Model').fill(model.id);
    await page.getByLabel('Priority').fill('3');
    await page.getByRole('button', { name: 'Submit' }).click();

    const badge = page.locator('h1 .badge');
    await badge.getByText('processing').waitFor();
    goOn.open();
    await badge.getByText('done').waitFor();
    await page.locator('.markdown strong', { hasText: 'valves' }).waitFor();
    await page.getByText(/answer · .* · 30 tokens · \$0\.00012 · /).waitFor();
    await page.getByRole('img', { name: /^Waited .*, ran / }).waitFor();
    await page.getByRole('button', { name: 'Plain text' }).click();
    await page.getByText('# Found').first().waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).first().click();
    expect((await download).suggestedFilename()).toMatch(/^job_.*\.answer\.md$/);
  });

  it('that waits is cancelled, and run again as it was', async () => {
    const model = newModel('plain', () => waiting);
    const account = await newAccount();
    const page = await open(account, { at: 'jobs/new' });
    await page.getByLabel('Message', { exact: true }).fill('How many valves?');
    await page.getByLabel('Model').fill(model.id);
    await page.getByRole('button', { name: 'Submit' }).click();
    await page
      .getByText(/after 0|rate|busy|429|try/i)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.locator('h1 .badge', { hasText: 'cancelled' }).waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('heading', { name: 'New job' }).waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('How many valves?');
    expect(await page.getByLabel('Model').inputValue()).toBe(model.id);
  });

  it('that has ended is deleted, once one has said so twice', async () => {
    const model = newModel('plain', { kind: 'status', status: 400 });
    const account = await newAccount();
    const { id } = await submit(account, chatJob('Well?', { model: model.id }));
    await until(account, id);
    const page = await open(account, { at: `jobs/${id}` });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Erase for good' }).click();

    await page.getByText('No jobs yet.').waitFor();
  });

  it('that failed says why in words', async () => {
    const model = newModel('plain', { kind: 'status', status: 400 });
    const account = await newAccount();
    const { id } = await submit(account, chatJob('Well?', { model: model.id }));
    const { error } = await until(account, id);

    const page = await open(account, { at: `jobs/${id}` });

    const words = page.locator('.refusal');
    await words.waitFor();
    expect(error).toContain(await words.innerText());
    expect(await words.innerText()).not.toMatch(/^[a-z_]+: /);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
  });

  it.runIf(canStop)('that runs is stopped', async () => {
    const goOn = gate();
    async function* pieces() {
      await goOn.opened;
      yield body('Two valves.');
    }
    const model = newModel('plain', { kind: 'pieces', pieces: pieces() });
    const account = await newAccount();
    const { id } = await submit(account, chatJob('Well?', { model: model.id }));
    await until(account, id, ({ status }) => status === 'processing');
    const page = await open(account, { at: `jobs/${id}` });

    await page.getByRole('button', { name: 'Stop' }).click();

    await page.getByText('was stopped by its caller').waitFor();
    goOn.open();
    await page.locator('h1 .badge', { hasText: 'cancelled' }).waitFor();
  });

  it.runIf(canRetry)('that failed is tried again by a new one, which names it', async () => {
    const model = newModel('plain', [
      { kind: 'status', status: 400 },
      { kind: 'answer', content: 'Two valves.' },
    ]);
    const account = await newAccount();
    const { id } = await submit(account, chatJob('Well?', { model: model.id }));
    await until(account, id);
    const page = await open(account, { at: `jobs/${id}` });

    await page.getByRole('button', { name: 'Retry' }).click();

    await page.locator('h1 .badge', { hasText: 'done' }).waitFor();
    await page.locator('.markdown', { hasText: 'Two valves.' }).waitFor();
    await page.getByRole('link', { name: id }).waitFor();
    expect(page.url()).not.toContain(id);
  });

  it('of another key is not found', async () => {
    const model = newModel();
    const { id } = await submit(await newAccount(), chatJob('Well?', { model: model.id }));

    const page = await open(await newAccount(), { at: `jobs/${id}` });

    await page.getByText('There is no such job.').waitFor();
  });
});

describe('the list', () => {
  it('shows a job that another program submits, and moves with it', async () => {
    const model = newModel();
    const account = await newAccount();
    const page = await open(account, { at: 'jobs' });
    await page.getByText('No jobs yet.').waitFor();

    await submit(account, chatJob('Well?', { model: model.id, priority: 7 }));

    const row = page.getByRole('listitem').filter({ hasText: model.id });
    await row.waitFor();
    await row.getByText('done').waitFor();
  });

  it('is filtered by status', async () => {
    const model = newModel();
    const account = await newAccount();
    const { id } = await submit(account, chatJob('Well?', { model: model.id }));
    await until(account, id);
    const page = await open(account, { at: 'jobs' });
    await page.getByText(model.id).waitFor();

    await page.getByLabel('Failed').check();
    await page.getByText('No job is failed.').waitFor();
    await page.getByLabel('Done').check();

    await page.getByText(model.id).waitFor();
  });

  it('asks ever less often while nothing moves, and not at all while it is hidden', async () => {
    const page = await open(await newAccount(), { at: 'jobs' });
    await page.getByText('No jobs yet.').waitFor();
    const asked: number[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/batch/jobs')) asked.push(Date.now());
    });

    await page.waitForRequest('**/batch/jobs?*');
    await page.waitForRequest('**/batch/jobs?*');
    await page.waitForRequest('**/batch/jobs?*');
    const [first = 0, second = 0, third = 0] = asked;
    expect(third - second).toBeGreaterThan((second - first) * 1.1);

    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    const before = asked.length;
    await page.clock.install();
    await page.clock.runFor(60_000);
    expect(asked).toHaveLength(before);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.waitForRequest('**/batch/jobs?*');
  });
});

describe('older jobs in the list', () => {
  /** Fifty jobs whose numbers end with the last. */
  const fifty = (last: number) =>
    Array.from({ length: 50 }, (_, index) => ({
      id: `job_${String(last - index).padStart(3, '0')}`,
      status: 'done',
      job_type: 'chat',
      model: 'gpt-5',
      input_type: 'drive_file',
      filename: `scan-${last - index}.pdf`,
      priority: 10,
      created_at: '2026-11-20T15:04:05.123Z',
      completed_at: '2026-11-20T15:04:06.123Z',
    }));

  it('are all there as new ones push some out of the newest fifty, until they are gone', async () => {
    const page = await open(await newAccount());
    let last = 100;
    let left = 50;
    await page.route('**/batch/jobs?*', (route) => {
      const isOlder = route.request().url().includes('cursor=older');
      const json = isOlder
        ? { jobs: fifty(50), next_cursor: null }
        : { jobs: fifty(last).slice(0, left), next_cursor: left < 50 ? null : 'older' };
      return route.fulfill({ json });
    });
    await goTo(page, 'jobs');
    await page.getByRole('button', { name: 'Older jobs' }).click();
    await page.getByText('scan-1.pdf', { exact: true }).waitFor();

    for (last of [110, 150]) {
      await page.getByText(`scan-${last}.pdf`, { exact: true }).waitFor();
      expect(await page.getByText(/^scan-\d+\.pdf$/).count()).toBe(last);
    }
    left = 10;
    await page.getByText('scan-140.pdf', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByText(/^scan-\d+\.pdf$/).count()).toBe(10);
  });

  it('are asked for again if jobs between them and the newest were missed', async () => {
    const page = await open(await newAccount());
    let last = 100;
    await page.route('**/batch/jobs?*', (route) => {
      const isOlder = route.request().url().includes('cursor=older');
      const json = { jobs: fifty(isOlder ? 50 : last), next_cursor: isOlder ? null : 'older' };
      return route.fulfill({ json });
    });
    await goTo(page, 'jobs');
    await page.getByRole('button', { name: 'Older jobs' }).click();
    await page.getByText('scan-1.pdf', { exact: true }).waitFor();

    last = 300;

    await page.getByText('scan-300.pdf', { exact: true }).waitFor();
    await page.getByText('scan-1.pdf', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Older jobs' }).waitFor();
  });

  it('are not shown if they come when another status is chosen', async () => {
    const page = await open(await newAccount());
    const goOn = gate();
    await page.route('**/batch/jobs?*', async (route) => {
      const url = route.request().url();
      if (url.includes('status=')) return route.fulfill({ json: { jobs: [], next_cursor: null } });
      const isOlder = url.includes('cursor=older');
      if (isOlder) await goOn.opened;
      await route.fulfill({
        json: { jobs: fifty(isOlder ? 50 : 100), next_cursor: isOlder ? null : 'older' },
      });
    });
    await goTo(page, 'jobs');
    await page.getByRole('button', { name: 'Older jobs' }).click();
    await page.getByText('Failed', { exact: true }).click();
    await page.getByText('No job is failed.').waitFor();
    const answered = page.waitForResponse(/cursor=older/);

    goOn.open();
    await (await answered).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));

    expect(await page.getByText(/^scan-\d+\.pdf$/).count()).toBe(0);
  });
});

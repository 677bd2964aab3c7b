import type { Response } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { changeKey, findKeyBySecret } from '../../shared/keys/key.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { useConsole } from './use-console.ts';

// Its own, because one test reads all that it printed.
const stage = await useOwnStage({ memory: true });
const { newPage, open } = await useConsole();
const newAccount = () => newCaller(stage, { budget_usd: 100 });

describe('the key', () => {
  it('comes in the link of npm start, leaves the address and the history at once, and outlives a reload', async () => {
    const account = await newAccount();

    const page = await open(account);

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${stage.base_url}/console#/overview`);
    expect(await page.evaluate(() => history.length)).toBe(2);
    const place = page.getByRole('link', { name: 'Overview' });
    expect(await place.getAttribute('aria-current')).toBe('page');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const end = account.api_key.slice(-4);
    await page.getByText(`sk-…${end} stays in this tab until you close it or sign out`).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('is typed in, and survives a reload only if that is asked for', async () => {
    const account = await newAccount();
    const page = await newPage(account);
    await page.goto(`${stage.base_url}/console`);

    await page.getByLabel('API key').fill(account.api_key);
    await page.getByLabel('Keep it').check();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.reload();

    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('takes what was written with it along as it leaves', async () => {
    const [account, other] = await Promise.all([newAccount(), newAccount()]);
    const page = await open(account, { at: 'playground' });
    await page.getByLabel('Message', { exact: true }).fill('A word for nobody else');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(other.api_key);
    await page.keyboard.press('Enter');

    const message = page.getByLabel('Message', { exact: true });
    await message.waitFor();
    expect(await message.inputValue()).toBe('');
  });

  it('is refused before it is sent if it is none', async () => {
    const account = await newAccount();
    const page = await newPage(account);
    await page.goto(`${stage.base_url}/console`);

    await page.getByLabel('API key').fill('sk-short');
    await page.keyboard.press('Enter');

    await page.getByText('That is no API key').waitFor();
  });

  it('that was revoked is asked for again, with the reason', async () => {
    const [account, revoked] = await Promise.all([newAccount(), newAccount()]);
    const key = await findKeyBySecret(revoked.api_key);
    await changeKey(key?.id ?? '', { state: 'revoked' });
    const page = await open(account);
    await page.getByText('left of $100.00').waitFor();

    // The gateway remembers a key for a minute, so the page's next requests carry one that it never saw.
    await page.route('**/user/**', (route) =>
      route.continue({
        headers: { ...route.request().headers(), authorization: `Bearer ${revoked.api_key}` },
      }),
    );

    await page.getByText('it was revoked').waitFor();
    await page.getByLabel('API key').waitFor();
  });

  it('stands in no line that the stage prints, though npm start prints a link with its own', async () => {
    const account = await newAccount();
    const page = await open(account);
    await page.getByText('left of $100.00').waitFor();

    const printed = stage.lines.join('\n');
    expect(printed).toContain(`${stage.base_url}/console#key=${stage.api_key}`);
    expect(printed).toContain('GET /user/limits');
    expect(printed).not.toContain(account.api_key);
  });
});

describe('the files', () => {
  const get = (path: string, encoding = 'gzip') =>
    fetch(`${stage.base_url}${path}`, { headers: { 'accept-encoding': encoding } });

  const named = async () => {
    const html = await (await get('/console')).text();
    return [...html.matchAll(/(?:src|href)="(\.\/console\/[^"]+)"/g)].map(([, link = '']) =>
      link.slice(1),
    );
  };

  it('are kept for a year, and come compressed, if at all', async () => {
    const paths = await named();
    expect(paths).toHaveLength(2);
    for (const path of paths) {
      const [compressed, refused] = await Promise.all([get(path), get(path, 'identity')]);

      expect(compressed.headers.get('content-encoding')).toBe('gzip');
      expect(refused.status).toBe(406);
      expect(compressed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect((await compressed.text()).length).toBeGreaterThan(1_000);
    }
  });

  it('allow no script but their own, and no other host, by policy', async () => {
    for (const path of ['/console', '/console/', ...(await named())]) {
      const policy = (await get(path)).headers.get('content-security-policy') ?? '';

      const rules = policy.split('; ').map((rule) => rule.split(' '));
      expect(rules[0]).toEqual(['default-src', "'none'"]);
      expect(rules).toContainEqual(['script-src', "'self'"]);
      for (const [name, ...sources] of rules) {
        const allowed = [
          "'none'",
          "'self'",
          "'script'",
          ...(name === 'img-src' ? ['data:', 'blob:'] : []),
        ];
        for (const source of sources) expect(allowed).toContain(source);
      }
    }
  });

  it('are not found by another name', async () => {
    expect((await get('/console/console-OTHER.js')).status).toBe(404);
  });

  it('are 80 KB at most, as they are sent', async () => {
    const page = await newPage(stage);
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => sizes.push(sentBytes(response)));

    await page.goto(`${stage.base_url}/console`, { waitUntil: 'networkidle' });

    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(sizes).toHaveLength(3);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(80_000);
  });

  const sentBytes = async (response: Response) =>
    (await response.request().sizes()).responseBodySize;
});

import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import type { Target } from '../support/servers/api.ts';

/** How a page is opened. */
export interface OpenOptions extends BrowserContextOptions {
  /** The page of the console, such as `jobs`. */
  at?: string;
}

/**
 * Gives a test file the console in a browser. Whatever a test does there, no script may fail, no policy be broken,
 * no other host be asked, and no key stand in a URL.
 */
export async function useConsole() {
  const browser = await chromium.connect(process.env['QUIRE_TEST_BROWSER'] ?? '');
  afterAll(() => browser.close());
  const faults: string[] = [];

  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    expect(faults.splice(0)).toEqual([]);
  });

  /** Opens a page of its own that notes what must not happen. */
  async function newPage({ base_url, api_key }: Target, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      // The browser itself reports answers of 4xx, which tests ask for.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) faults.push(message.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      const isOwn = url.startsWith(`${base_url}/`) || /^(data|blob):/.test(url);
      if (!isOwn || url.includes(api_key)) faults.push(`asked for ${url}`);
    });
    return page;
  }

  return {
    newPage,

    /** Returns the faults so far, which then count no more: a test has made them. */
    takeFaults: () => faults.splice(0),

    /** Opens the console with a key, as the link that `npm start` prints does. */
    async open(target: Target, { at = 'overview', ...options }: OpenOptions = {}): Promise<Page> {
      const page = await newPage(target, options);
      await page.goto(`${target.base_url}/console#key=${target.api_key}`);
      if (at !== 'overview') await goTo(page, at);
      return page;
    },
  };
}

/** Whether a stage has a route; what the console does with one that it lacks needs no test. */
export async function hasRoute({ base_url }: Pick<Target, 'base_url'>, path: string) {
  const { paths } = (await (await fetch(`${base_url}/openapi.json`)).json()) as { paths: object };
  return Object.hasOwn(paths, path);
}

/** Goes to another page of the console, as a link does. */
export async function goTo(page: Page, at: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/${at}`);
}

import { expect, it } from 'vitest';
import { memory } from '../../shared/http/byte-budget.ts';
import { gate } from '../support/servers/model-stub-pieces.ts';
import { type Handler, read, readText, startSite } from './site.ts';

// Of so many megabytes one page has room at a time.
process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] = '100';

const page = '<title>Page</title><p>read';

/** A page whose end comes once it is told to. */
function slowPage(): { page: Handler; goOn: () => void } {
  const end = gate();
  return {
    page: async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write(page);
      await end.opened;
      response.end();
    },
    goOn: end.open,
  };
}

it('a page is read once there is room for all that it may have, and gives that back', async () => {
  const slow = slowPage();
  const { origin } = await startSite({ '/slow': slow.page, '/next': page });
  const first = readText(`${origin}/slow`);
  await expect.poll(() => memory().usedBytes).toBeGreaterThan(0);

  const next = readText(`${origin}/next`);
  await expect.poll(() => memory().waitingTakes).toBe(1);
  slow.goOn();

  expect(await Promise.all([first, next])).toMatchObject([{ title: 'Page' }, { title: 'Page' }]);
  expect(memory().usedBytes).toBe(0);
});

it('a page that finds no room in its time is late, and takes none', async () => {
  const slow = slowPage();
  const { origin } = await startSite({ '/slow': slow.page, '/next': page });
  const first = readText(`${origin}/slow`);
  await expect.poll(() => memory().usedBytes).toBeGreaterThan(0);

  expect(await read(`${origin}/next`, { deadlineMs: 300 })).toEqual({ unreadable: 'timeout' });
  expect(memory().waitingTakes).toBe(0);
  slow.goOn();

  expect(await first).toMatchObject({ title: 'Page' });
  expect(memory().usedBytes).toBe(0);
});

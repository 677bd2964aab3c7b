import { expect, it, vi } from 'vitest';
import { handler } from '../../functions/read-page.ts';
import { allow, startSite } from './site.ts';

/** Collects what is logged meanwhile. */
async function logged(run: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await run();
    return write.mock.calls.map(([line]) => JSON.parse(String(line)));
  } finally {
    write.mockRestore();
  }
}

it('the log has one line for a page, and of its URL the host alone', async () => {
  const { port } = await startSite({ '/secret?token=1': '<title>secret</title><p>secret' });
  allow(`http://127.0.0.1:${port}`);
  const urls = [
    `http://127.0.0.1:${port}/secret?token=1#secret`,
    'https://secret:secret@example.com/secret',
    'secret',
  ];

  const lines = await logged(async () => {
    for (const url of urls) await handler({ url });
  });

  const line = (host: string | undefined, outcome: string) => ({
    level: 'info',
    message: 'page read',
    ...(host && { host }),
    outcome,
    duration_ms: expect.any(Number),
  });
  expect(lines).toEqual([
    line(`127.0.0.1:${port}`, 'read'),
    line('example.com', 'forbidden_address'),
    line(undefined, 'forbidden_address'),
  ]);
});

it('an event that names no URL is an error of the function that sent it', async () => {
  for (const event of [undefined, null, {}, { url: 1 }, 'http://example.com']) {
    await expect(handler(event)).rejects.toThrow('Invalid');
  }
});

it('a page that breaks its parser is broken, and the log says nothing of what it is', async () => {
  const { port } = await startSite({
    '/': (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end('secret');
    },
  });
  allow(`http://127.0.0.1:${port}`);

  const lines = await logged(() => handler({ url: `http://127.0.0.1:${port}/` }));

  expect(lines).toEqual([
    { level: 'warn', message: 'page broke its parser', error: 'ServiceError' },
    expect.objectContaining({ message: 'page read', outcome: 'broken' }),
  ]);
});

it('a page that breaks the process that reads it is broken, and the pages beside it are read', async () => {
  const { port } = await startSite({
    '/nested': '<b>'.repeat(1_600_000),
    '/rows': `<title>Rows</title><table>${'<tr><td>a'.repeat(500_000)}`,
    '/small': '<title>Small</title><p>beside',
  });
  const origin = `http://127.0.0.1:${port}`;
  allow(origin);

  const pages = await Promise.all(
    ['nested', 'rows', 'small'].map((path) => handler({ url: `${origin}/${path}` })),
  );

  expect(pages).toMatchObject([
    { unreadable: 'broken' },
    { title: 'Rows' },
    { title: 'Small', text: 'beside' },
  ]);
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { chatJob, submit, until } from '../../support/servers/api.ts';
import { useOwnStages } from '../../support/servers/own-stages.ts';

const stages = useOwnStages();

/** What a proxy was asked for. It reaches nothing of this machine. */
const asked: (string | undefined)[] = [];
const proxy = createServer(({ url }, response) => {
  asked.push(url);
  response.writeHead(502).end();
}).on('connect', ({ url }, socket) => {
  asked.push(url);
  socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
});
afterAll(() => proxy.close());

it('a job is done where the machine has a proxy that Node goes by, and the proxy is asked for nothing', async () => {
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = { HTTP_PROXY: url, HTTPS_PROXY: url, NODE_USE_ENV_PROXY: '1' };
  const stage = await stages.start({ memory: true, env });

  const { id } = await submit(stage, chatJob('Hi'));
  const { status } = await until(stage, id);

  expect(status).toBe('done');
  expect(asked).toEqual([]);
});

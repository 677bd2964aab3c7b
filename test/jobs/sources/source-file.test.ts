import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientEnvironment } from '../../../lib/local/engines/client-config.ts';
import { withFile } from '../../../shared/jobs/sources/source-file.ts';
import { useFolder } from '../../support/run/use-folder.ts';

let server: Server;
const folder = useFolder();
const own = join(folder, `quire-${process.pid}-${threadId}`);
const { pid: dead } = spawnSync(process.execPath, ['-e', '']);
const [leftByDead, ofLiving] = [`quire-${dead}-0`, `quire-${process.ppid}-0`];
let begun = () => {};
let closed = () => {};

/** Objects that come whole, break off in their middle, or never end. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://s3');
    response.on('close', closed);
    response.writeHead(200, { 'content-length': 10 });
    if (pathname.endsWith('/whole')) return response.end('0123456789');
    response.write('01234', () => {
      if (pathname.endsWith('/broken')) response.destroy();
      begun();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, clientEnvironment, {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    OBJECTS_BUCKET: 'bodies',
    TMPDIR: folder,
  });
  for (const name of [leftByDead, ofLiving, own])
    mkdirSync(join(folder, name, 'job-1'), { recursive: true });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const read = (path: string) => readFile(path, 'utf8');

it('what processes that are gone have left on the disk is removed', async () => {
  expect(await withFile('whole', read)).toBe('0123456789');

  expect(existsSync(join(folder, leftByDead))).toBe(false);
  expect(existsSync(join(folder, ofLiving))).toBe(true);
  expect(readdirSync(own)).toEqual([]);
});

it('a download that breaks off leaves nothing on the disk', async () => {
  await expect(withFile('broken', read)).rejects.toThrow();

  expect(readdirSync(own)).toEqual([]);
});

it('a download goes on while anybody waits for it, and ends with the last', async () => {
  const started = new Promise<void>((resolve) => (begun = resolve));
  const brokenOff = new Promise<void>((resolve) => (closed = resolve));
  const [one, another] = [new AbortController(), new AbortController()];
  const waits = [one, another].map(({ signal }) => withFile('endless', read, signal));
  const ends = Promise.allSettled(waits);
  await started;

  one.abort(new Error('the first left'));
  await expect(waits[0]).rejects.toThrow('the first left');
  const whileWanted = readdirSync(own).length;
  another.abort(new Error('the last left'));
  await ends;
  await brokenOff;

  await expect(waits[1]).rejects.toThrow('the last left');
  expect([whileWanted, readdirSync(own).length]).toEqual([1, 0]);
});

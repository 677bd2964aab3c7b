import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { Resolve } from '../../shared/pages/address.ts';
import type { Page, PageReading } from '../../shared/pages/page.ts';
import { type ReadOptions, readPage } from '../../shared/pages/read-page.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What a site serves, by path: HTML, or a handler. */
export type Pages = Record<string, string | Handler>;

export interface Site {
  origin: string;
  port: number;
  /** The paths that were asked for. */
  requests: string[];
}

const closers: (() => unknown)[] = [];
let sites = 0;

afterEach(() => {
  delete process.env['READ_PAGE_LOCAL_ORIGIN'];
  for (const close of closers.splice(0)) close();
});

/** Starts a site on loopback, under a name of its own, which is the origin that may be read from now on. */
export async function startSite(
  pages: Pages,
  { host = '127.0.0.1', port: wantedPort = 0 } = {},
): Promise<Site> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const page = pages[path];
    if (typeof page === 'function') page(request, response);
    else response.writeHead(page ? 200 : 404, { 'content-type': 'text/html' }).end(page);
  });
  await once(server.listen(wantedPort, host), 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  sites += 1;
  const origin = `http://site-${sites}.test:${port}`;
  allow(origin);
  return { origin, port, requests };
}

/** Lets pages of this origin be read from loopback. */
export function allow(origin: string): void {
  process.env['READ_PAGE_LOCAL_ORIGIN'] = origin;
}

export const resolveToLoopback: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];

export const read = (url: string, options: ReadOptions = {}): Promise<PageReading> =>
  readPage(url, { resolve: resolveToLoopback, ...options });

/** Reads a page that must be readable. */
export async function readText(url: string, options: ReadOptions = {}): Promise<Page> {
  const reading = await read(url, options);
  if ('unreadable' in reading) throw new Error(reading.unreadable);
  return reading;
}

/** Sends content with these headers. */
export const send =
  (body: string | Uint8Array, headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body);

export const redirect =
  (location: string, status = 302): Handler =>
  (_request, response) =>
    response.writeHead(status, { location: Buffer.from(location).toString('latin1') }).end();

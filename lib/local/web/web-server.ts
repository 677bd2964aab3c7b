import { randomBytes } from 'node:crypto';
import { constants, mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { contentType } from 'mime-types';
import type { Engine } from '../engines/engine.ts';
import { newServer } from '../engines/new-server.ts';
import { refusePages } from '../engines/page-requests.ts';
import { WebFolder } from './web-folder.ts';
import { WebIndex } from './web-index.ts';

export interface WebServerOptions {
  folder: string;
}

/** A running web. */
export interface WebEngine extends Engine {
  /** Where the SearXNG lies. Its clients send no credentials, so that its path is its secret. */
  searchUrl: string;
}

/** Serves a folder on disk as a web of its own: its pages, which anybody may open, and a SearXNG that searches them. */
export async function startWebServer({ folder: path }: WebServerOptions): Promise<WebEngine> {
  mkdirSync(path, { recursive: true });
  const folder = new WebFolder(path);
  const app = newServer({ forceCloseConnections: true });
  const searchPath = `/searxng-${randomBytes(24).toString('base64url')}`;
  addSearchRoute(app, new WebIndex(folder), searchPath);
  addPageRoutes(app, folder);
  refusePages(app.server);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, searchUrl: url + searchPath, close: () => app.close() };
}

const maxResults = 10;

interface SearchQuery {
  q?: string;
  format?: string;
}

/** Adds SearXNG's search with its best results, as an instance answers it that lies at a path and allows JSON alone. @see https://docs.searxng.org/dev/search_api.html */
function addSearchRoute(app: FastifyInstance, index: WebIndex, path: string): void {
  app.get<{ Querystring: SearchQuery }>(`${path}/search`, async ({ query }, reply) => {
    const { q, format } = query;
    if (format !== 'json') {
      return reply.code(403).type('text/html; charset=utf-8').send(forbidden);
    }
    if (!q) return reply.code(400).send({ error: 'No query' });
    const found = await index.search(q);
    return {
      query: q,
      number_of_results: found.length,
      results: found
        .slice(0, maxResults)
        .map(({ path, title, score, terms }) => ({
          url: app.listeningOrigin + urlPathOf(path),
          title,
          content: index.snippet(path, terms),
          score,
        })),
    };
  });
}

const forbidden = '<!doctype html>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1>\n';

/** Returns the path of a page's URL on this server. */
const urlPathOf = (path: string) => `/pages/${path.split('/').map(encodeURIComponent).join('/')}`;

/** Adds the pages themselves, each at its path in the folder, and a robots.txt that allows all of them. */
function addPageRoutes(app: FastifyInstance, folder: WebFolder): void {
  app.get('/robots.txt', (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send('User-agent: *\nAllow: /\n'),
  );

  app.get<{ Params: { '*': string } }>('/pages/*', async ({ params }, reply) => {
    const file = folder.find(params['*']);
    if (!file) return reply.callNotFound();
    const handle = await open(file.diskPath, constants.O_RDONLY | constants.O_NOFOLLOW);
    return reply
      .header('content-length', (await handle.stat()).size)
      .type(contentType(extname(file.path)) || 'application/octet-stream')
      .send(handle.createReadStream());
  });
}

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { refusePages } from '../engines/page-requests.ts';
import { addPageRoutes } from './page-routes.ts';
import { addSearchRoute } from './search-route.ts';
import { WebFolder } from './web-folder.ts';
import { WebIndex } from './web-index.ts';

export interface WebServerOptions {
  folder: string;
}

/** A running web. */
export interface WebEngine extends Engine {
  /** Where the SearXNG lies. Its clients send no credentials, so that only who was told its path searches. */
  searchUrl: string;
}

/** Serves a folder on disk as a web of its own: its pages, which anybody may open, and a SearXNG that searches them. */
export async function startWebServer({ folder: path }: WebServerOptions): Promise<WebEngine> {
  mkdirSync(path, { recursive: true });
  const folder = new WebFolder(path);
  const app = Fastify({ forceCloseConnections: true });
  const searchPath = `/searxng-${randomBytes(24).toString('base64url')}`;
  addSearchRoute(app, new WebIndex(folder), searchPath);
  addPageRoutes(app, folder);
  refusePages(app.server);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, searchUrl: url + searchPath, close: () => app.close() };
}

import { mkdirSync } from 'node:fs';
import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { addPageRoutes } from './page-routes.ts';
import { addSearchRoute } from './search-route.ts';
import { WebFolder } from './web-folder.ts';
import { WebIndex } from './web-index.ts';

export interface WebServerOptions {
  folder: string;
}

/** Serves a folder on disk as a web of its own: its pages, and a SearXNG that searches them. */
export async function startWebServer({ folder: path }: WebServerOptions): Promise<Engine> {
  mkdirSync(path, { recursive: true });
  const folder = new WebFolder(path);
  const app = Fastify({ forceCloseConnections: true });
  addSearchRoute(app, new WebIndex(folder));
  addPageRoutes(app, folder);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => app.close() };
}

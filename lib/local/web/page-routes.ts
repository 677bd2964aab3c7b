import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { contentType } from 'mime-types';
import type { WebFolder } from './web-folder.ts';

/** Returns the path of a page's URL on this server. */
export const urlPathOf = (path: string) =>
  `/pages/${path.split('/').map(encodeURIComponent).join('/')}`;

/** Adds the pages themselves, each at its path in the folder, and a robots.txt that allows all of them. */
export function addPageRoutes(app: FastifyInstance, folder: WebFolder): void {
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

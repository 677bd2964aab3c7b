import type { FastifyInstance } from 'fastify';
import { urlPathOf } from './page-routes.ts';
import type { WebIndex } from './web-index.ts';

const resultsPerPage = 10;

interface SearchQuery {
  q?: string;
  format?: string;
  pageno?: string;
}

/** Adds SearXNG's search, as an instance answers it that lies at a path and allows JSON alone. @see https://docs.searxng.org/dev/search_api.html */
export function addSearchRoute(app: FastifyInstance, index: WebIndex, path: string): void {
  app.get<{ Querystring: SearchQuery }>(`${path}/search`, async ({ query }, reply) => {
    const { q, format, pageno = '1' } = query;
    if (format !== 'json') {
      return reply.code(403).type('text/html; charset=utf-8').send(forbidden);
    }
    if (!q) return reply.code(400).send({ error: 'No query' });
    if (!/^0*[1-9]\d*$/.test(pageno)) {
      return reply.code(400).send({ error: `Invalid value "${pageno}" for parameter pageno` });
    }

    const found = await index.search(q);
    const start = (Number(pageno) - 1) * resultsPerPage;
    return {
      query: q,
      number_of_results: found.length,
      results: found
        .slice(start, start + resultsPerPage)
        .map(({ path, title, score, terms }) => ({
          url: app.listeningOrigin + urlPathOf(path),
          title,
          content: index.snippet(path, terms),
          engine: 'folder',
          engines: ['folder'],
          category: 'general',
          score,
        })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    };
  });
}

const forbidden = '<!doctype html>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1>\n';

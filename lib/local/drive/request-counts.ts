import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Counts requests by kind, such as `GET /drive/v3/files/:fileId?alt=media`. Returns what tells the counts so far. */
export function countRequests(app: FastifyInstance): () => Record<string, number> {
  const counts = new Map<string, number>();
  app.addHook('onRequest', async (request) => {
    const kind = kindOf(request);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  });
  return () => Object.fromEntries(counts);
}

function kindOf({ method, routeOptions, query }: FastifyRequest): string {
  const { alt, uploadType } = query as { alt?: string; uploadType?: string };
  const kind = `${method} ${routeOptions.url ?? 'unknown'}`;
  if (alt === 'media') return `${kind}?alt=media`;
  return uploadType ? `${kind}?uploadType=${uploadType}` : kind;
}

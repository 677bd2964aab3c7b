import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Counts requests by kind, such as `GET /drive/v3/files/:fileId?alt=media`. Tests read the counts by
 * `GET /requests`, which Drive doesn't have.
 */
export function countRequests(app: FastifyInstance): void {
  const counts = new Map<string, number>();
  app.addHook('onRequest', async (request) => {
    const kind = kindOf(request);
    if (!isControl(request)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  });
  app.get('/requests', async () => Object.fromEntries(counts));
}

const isControl = ({ url }: FastifyRequest) => url === '/requests' || url === '/faults';

function kindOf({ method, routeOptions, query }: FastifyRequest): string {
  const { alt, uploadType } = query as { alt?: string; uploadType?: string };
  const kind = `${method} ${routeOptions.url ?? 'unknown'}`;
  if (alt === 'media') return `${kind}?alt=media`;
  return uploadType ? `${kind}?uploadType=${uploadType}` : kind;
}

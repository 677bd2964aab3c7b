import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll } from 'vitest';
import { createServiceAccount } from '../../lib/local/drive/access-tokens.ts';

/** Gives a test file a Drive whose answers it writes itself, for what a folder on disk can't be or do. */
export async function useScriptedDrive(addRoutes: (app: FastifyInstance) => void) {
  const { serviceAccount } = createServiceAccount();
  const app = Fastify({ forceCloseConnections: true, bodyLimit: 16 * 1024 * 1024 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  addRoutes(app);
  if (!app.hasRoute({ method: 'POST', url: '/token' })) {
    app.post('/token', async () => ({ access_token: 'a-token', expires_in: 3599 }));
  }
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  serviceAccount.token_uri = `${url}/token`;
  afterAll(() => app.close());
  return { url, serviceAccount };
}

/** Drive's body for an error. */
export const refusal = (code: number, reason: string) => ({
  error: { code, message: reason, errors: [{ message: reason, domain: 'global', reason }] },
});

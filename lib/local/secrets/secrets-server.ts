import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { requireSignature } from '../engines/signature.ts';

/** Starts a server for Secrets Manager's `GetSecretValue`, from values keyed by the secrets' ARNs. */
export async function startSecretsServer(values: Record<string, string>): Promise<Engine> {
  const server = Fastify();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, JSON.parse(body as string));
  });
  server.post<{ Body: { SecretId: string } }>(
    '/',
    async ({ body: { SecretId }, headers }, reply) => {
      reply.type('application/x-amz-json-1.1');
      if (headers['x-amz-target'] !== 'secretsmanager.GetSecretValue') {
        return reply.code(400).send({ __type: 'InvalidRequestException' });
      }
      const value = values[SecretId];
      if (value === undefined) {
        return reply.code(400).send({
          __type: 'ResourceNotFoundException',
          Message: `Secrets Manager can't find the specified secret.`,
        });
      }
      return { ARN: SecretId, Name: SecretId, SecretString: value };
    },
  );
  requireSignature(server.server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => server.close() };
}

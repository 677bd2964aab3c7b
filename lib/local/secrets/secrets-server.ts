import type { Engine } from '../engines/engine.ts';
import { newServer } from '../engines/new-server.ts';
import { requireSignature } from '../engines/signature.ts';

/** What the clients of the two services send: the id of a secret, or the name or ARN of a parameter. */
interface Asked {
  SecretId?: string;
  Name?: string;
}

/** Starts a server for Secrets Manager's `GetSecretValue`, by ARNs, and Systems Manager's `GetParameter`, by names. */
export async function startSecretsServer(
  values: Record<string, string>,
  parameterOf: (name: string) => string = () => 'none',
): Promise<Engine> {
  const server = newServer();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, JSON.parse(body as string));
  });
  server.post<{ Body: Asked }>('/', async ({ body, headers }, reply) => {
    const { SecretId = '', Name = '' } = body;
    const operation = headers['x-amz-target'];
    reply.type('application/x-amz-json-1.1');
    if (operation === 'AmazonSSM.GetParameter') {
      const Value = parameterOf(Name.split('/').at(-1) ?? '');
      return { Parameter: { Name, Type: 'SecureString', Value } };
    }
    reply.code(400);
    if (operation !== 'secretsmanager.GetSecretValue') return { __type: 'InvalidRequestException' };
    const SecretString = values[SecretId];
    if (SecretString !== undefined) {
      return reply.code(200).send({ ARN: SecretId, Name: SecretId, SecretString });
    }
    const Message = "Secrets Manager can't find the specified secret.";
    return { __type: 'ResourceNotFoundException', Message };
  });
  requireSignature(server.server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => server.close() };
}

import Fastify from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { requireSignature } from '../engines/signature.ts';

/** What the clients of the two services send: the id of a secret, or the name or ARN of a parameter. */
interface Asked {
  SecretId?: string;
  Name?: string;
}

interface Answered {
  status: number;
  body: object;
}

/** Starts a server for Secrets Manager's `GetSecretValue`, by ARNs, and Systems Manager's `GetParameter`, by names. */
export async function startSecretsServer(
  values: Record<string, string>,
  parameterOf: (name: string) => string = () => 'none',
): Promise<Engine> {
  const server = Fastify();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, JSON.parse(body as string));
  });
  const operations: Record<string, (asked: Asked) => Answered> = {
    'secretsmanager.GetSecretValue': ({ SecretId = '' }) => secretValue(SecretId, values[SecretId]),
    'AmazonSSM.GetParameter': ({ Name = '' }) => {
      const Value = parameterOf(Name.split('/').at(-1) ?? '');
      return { status: 200, body: { Parameter: { Name, Type: 'SecureString', Value } } };
    },
  };
  server.post<{ Body: Asked }>('/', async ({ body: asked, headers }, reply) => {
    const operation = operations[String(headers['x-amz-target'])];
    const { status, body } = operation?.(asked) ?? {
      status: 400,
      body: { __type: 'InvalidRequestException' },
    };
    return reply.type('application/x-amz-json-1.1').code(status).send(body);
  });
  requireSignature(server.server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => server.close() };
}

function secretValue(SecretId: string, value: string | undefined): Answered {
  if (value !== undefined) {
    return { status: 200, body: { ARN: SecretId, Name: SecretId, SecretString: value } };
  }
  const Message = `Secrets Manager can't find the specified secret.`;
  return { status: 400, body: { __type: 'ResourceNotFoundException', Message } };
}

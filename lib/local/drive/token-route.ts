import type { KeyObject } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import type { AccessTokens } from './access-tokens.ts';
import { GrantError, readAssertion, type ServiceAccount } from './service-account.ts';

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Adds POST /token, which gives an access token for an assertion that the service account has signed. */
export function addTokenRoute(
  app: FastifyInstance,
  tokens: AccessTokens,
  { serviceAccount, publicKey }: { serviceAccount: ServiceAccount; publicKey: KeyObject },
): void {
  app.post('/token', async ({ raw, headers }, reply) => {
    try {
      const { grant_type, assertion } = readForm(await text(raw), headers['content-type']);
      if (grant_type !== jwtBearer) {
        throw new GrantError('unsupported_grant_type', `Invalid grant_type: ${grant_type}`);
      }
      return tokens.grant(readAssertion(assertion ?? '', serviceAccount, publicKey));
    } catch (error) {
      if (!(error instanceof GrantError)) throw error;
      return reply.code(400).send(error.body);
    }
  });
}

function readForm(body: string, contentType = ''): Record<string, string | undefined> {
  if (!contentType.includes('json')) return Object.fromEntries(new URLSearchParams(body));
  try {
    return JSON.parse(body);
  } catch {
    throw new GrantError('invalid_request', 'Bad Request');
  }
}

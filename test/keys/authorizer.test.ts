import { beforeAll, describe, expect, it, vi } from 'vitest';
import { reach } from '../../lib/cli/target.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { authorizeRequest } from '../../shared/keys/authorize.ts';
import { changeKey, issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { rotateKey } from '../../shared/keys/rotate.ts';
import { newSecret } from '../../shared/keys/secret.ts';
import { shared } from '../support/run/shared.ts';

const { base_url, dataDir } = await shared('stage');

const message =
  'Missing or invalid API key. Send it as: Authorization: Bearer sk-..., or as x-api-key: sk-...';
const refusal = {
  status: 401,
  challenge: 'Bearer',
  body: {
    detail: message,
    type: 'error',
    error: { message, type: 'authentication_error', param: null, code: 'invalid_api_key' },
  },
};

beforeAll(() => reach({ data: dataDir }, 'KEYS_TABLE', 'LEDGER_TABLE'));

it('refuses a request without a key', async () => {
  expect(await ask(undefined)).toEqual(refusal);
});

it.each([
  '',
  'Bearer',
  'Bearer ',
  'Bearer none',
  'Basic dXNlcjpwYXNz',
  `Basic sk-${'0'.repeat(43)}`,
])('refuses the authorization "%s"', async (authorization) => {
  expect(await ask(authorization)).toEqual(refusal);
});

it('refuses a key that was never issued', async () => {
  expect(await ask(`Bearer ${newSecret()}`)).toEqual(refusal);
});

it('refuses a revoked key', async () => {
  const { id, api_key } = await issueKey('revoked', defaultLimits);
  await changeKey(id, { state: 'revoked' });

  expect(await ask(`Bearer ${api_key}`)).toEqual(refusal);
});

it('refuses an expired key', async () => {
  const expires_at = new Date(Date.now() - 1).toISOString();
  const { api_key } = await issueKey('expired', { ...defaultLimits, expires_at });

  expect(await ask(`Bearer ${api_key}`)).toEqual(refusal);
});

it('refuses a secret that was rotated away', async () => {
  const old = await issueKey('rotated', defaultLimits);
  await rotateKey(old.id, 0);

  expect(await ask(`Bearer ${old.api_key}`)).toEqual(refusal);
});

it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('lets a key in as %s', async (scheme) => {
  const { api_key } = await issueKey('valid', defaultLimits);

  expect(await ask(`${scheme} ${api_key}`)).toMatchObject({ status: 200, body: { jobs: [] } });
});

it('lets a key in that will expire', async () => {
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const { api_key } = await issueKey('to expire', { ...defaultLimits, expires_at });

  expect(await ask(`Bearer ${api_key}`)).toMatchObject({ status: 200 });
});

describe('a key in x-api-key', () => {
  const askWith = (path: string, headers: Record<string, string>) =>
    fetch(`${base_url}${path}`, { headers }).then(({ status }) => status);

  it('is let in where Anthropic’s clients ask, and nowhere else', async () => {
    const { api_key } = await issueKey('anthropic', defaultLimits);
    const headers = { 'x-api-key': api_key };

    expect(await askWith('/v1/models', headers)).toBe(200);
    expect(await askWith('/batch/jobs', headers)).toBe(401);
  });

  it.each([{}, { 'x-api-key': '' }, { 'x-api-key': newSecret() }, { authorization: 'Basic a' }])(
    'is refused as any other: %j',
    async (headers) => {
      const response = await fetch(`${base_url}/v1/models`, { headers });

      expect(response.status).toBe(401);
      expect(await response.json()).toEqual(refusal.body);
    },
  );

  it('is refused from the moment at which it is revoked', async () => {
    const { id, api_key } = await issueKey('to revoke', defaultLimits);
    const before = await askWith('/v1/models', { 'x-api-key': api_key });
    await changeKey(id, { state: 'revoked' });

    expect([before, await askWith('/v1/models', { 'x-api-key': api_key })]).toEqual([200, 401]);
  });
});

const methodArn = 'arn:aws:execute-api:us-east-1:0:api/stage/GET/batch/jobs';

describe('the authorizer', () => {
  const authorize = (secret: string) =>
    authorizeRequest({ type: 'TOKEN', authorizationToken: `Bearer ${secret}`, methodArn });
  const denial = {
    policyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Action: 'execute-api:Invoke',
          Effect: 'Deny',
          Resource: 'arn:aws:execute-api:us-east-1:0:api/stage/*',
        },
      ],
    },
  };

  it('denies an unknown token on every route, which the gateway then keeps', async () => {
    expect(await authorize(newSecret())).toMatchObject(denial);
  });

  it('denies a token without a secret’s form, and reads nothing for it', async () => {
    const send = vi.spyOn(dynamodb, 'send');

    expect(await authorize('sk-short')).toMatchObject(denial);

    expect(send).not.toHaveBeenCalled();
  });
});

describe('a malformed token is refused, though it was issued:', () => {
  const characters = newSecret().slice(3);

  it.each([
    ['42 characters', `sk-${characters.slice(1)}`, 'Bearer '],
    ['44 characters', `sk-${characters}0`, 'Bearer '],
    ['a character that is no letter or digit', `sk-${characters.slice(1)}_`, 'Bearer '],
    ['another prefix', `pk-${characters}`, 'Bearer '],
  ])('%s', async (_, secret, scheme) => {
    await issueKey('malformed', defaultLimits, secret);
    const authorizationToken = `${scheme}${secret}`;

    expect(await ask(authorizationToken)).toEqual(refusal);
  });

  it.each([
    [(key: string) => ({ 'X-Api-Key': key }), true],
    [(key: string) => ({ Authorization: `bearer ${key}` }), true],
    [(key: string) => ({ authorization: 'Bearer other', 'x-api-key': key }), true],
    [(key: string) => ({ authorization: key }), false],
  ])('finds a key among a request’s headers: %s', async (headersOf, isFound) => {
    const { api_key } = await issueKey('of a request', defaultLimits);

    const { context } = await authorizeRequest({
      type: 'REQUEST',
      headers: headersOf(api_key),
      methodArn,
    });

    expect(context).toMatchObject(isFound ? { keyName: 'of a request' } : { refused: 'unknown' });
  });

  it('a key without a scheme, which the authorizer itself would let in', async () => {
    const { id, api_key: authorizationToken } = await issueKey('bare', defaultLimits);
    const asked = await authorizeRequest({ type: 'TOKEN', authorizationToken, methodArn });

    const answer = await ask(authorizationToken);

    expect(asked).toMatchObject({ principalId: id });
    expect(answer).toEqual(refusal);
  });
});

async function ask(authorization: string | undefined) {
  const response = await fetch(`${base_url}/batch/jobs`, {
    headers: authorization === undefined ? {} : { authorization },
  });
  return {
    status: response.status,
    ...(response.ok ? {} : { challenge: response.headers.get('www-authenticate') }),
    body: await response.json(),
  };
}

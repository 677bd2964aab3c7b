import { generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';

/** A service account's credentials, in the form of the key file that Google's console gives. */
export interface ServiceAccount {
  type: 'service_account';
  project_id: string;
  private_key_id: string;
  private_key: string;
  client_email: string;
  client_id: string;
  token_uri: string;
}

/** A refusal of the token endpoint, whose body is OAuth's and not Drive's. */
export class GrantError extends Error {
  override readonly name = 'GrantError';
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }

  get body() {
    return { error: this.code, error_description: this.message };
  }
}

interface Claims {
  iss?: unknown;
  aud?: unknown;
  scope?: unknown;
  iat?: unknown;
  exp?: unknown;
}

const maxLifetimeSeconds = 3600;
const clockSkewSeconds = 300;

/** Makes a server's one service account. Its keys end with the server, which sets `token_uri` once it has an address. */
export function createServiceAccount(): {
  serviceAccount: ServiceAccount;
  publicKey: KeyObject;
} {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serviceAccount: ServiceAccount = {
    type: 'service_account',
    project_id: 'quire-local',
    private_key_id: randomBytes(20).toString('hex'),
    private_key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    client_email: 'quire@quire-local.iam.gserviceaccount.com',
    client_id: '100000000000000000001',
    token_uri: '',
  };
  return { serviceAccount, publicKey };
}

/**
 * Returns the scopes that a signed assertion asks for. Throws `GrantError` if it grants no token.
 * @see https://developers.google.com/identity/protocols/oauth2/service-account
 */
export function readAssertion(
  assertion: string,
  { client_email, token_uri }: ServiceAccount,
  publicKey: KeyObject,
): string[] {
  const { claims, signed, signature } = parseJwt(assertion);
  if (claims.iss !== client_email) {
    throw new GrantError('invalid_grant', 'Invalid grant: account not found');
  }
  if (!verify('RSA-SHA256', Buffer.from(signed), publicKey, signature)) {
    throw new GrantError('invalid_grant', 'Invalid JWT Signature.');
  }
  if (claims.aud !== token_uri) {
    const advice = `The right audience is ${token_uri}`;
    throw new GrantError('invalid_grant', `Invalid JWT: Failed audience check. ${advice}`);
  }
  refuseLongLife(claims);
  const scopes = String(claims.scope ?? '')
    .split(' ')
    .filter(Boolean);
  if (scopes.length === 0) {
    const reason = 'Invalid OAuth scope or ID token audience provided.';
    throw new GrantError('invalid_scope', reason);
  }
  return scopes;
}

function parseJwt(assertion: string): { claims: Claims; signed: string; signature: Buffer } {
  const [header = '', payload = '', signature = ''] = assertion.split('.');
  try {
    const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString());
    if (alg !== 'RS256') throw new Error(alg);
    return {
      claims: JSON.parse(Buffer.from(payload, 'base64url').toString()),
      signed: `${header}.${payload}`,
      signature: Buffer.from(signature, 'base64url'),
    };
  } catch {
    throw new GrantError('invalid_grant', 'Invalid JWT: it is no RS256-signed JSON Web Token.');
  }
}

function refuseLongLife({ iat, exp }: Claims): void {
  const now = Date.now() / 1000;
  const [issued, expires] = [Number(iat), Number(exp)];
  const inTime = issued < now + clockSkewSeconds && expires > now - clockSkewSeconds;
  if (inTime && expires > issued && expires - issued <= maxLifetimeSeconds) return;
  throw new GrantError(
    'invalid_grant',
    'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. ' +
      'Check your iat and exp values in the JWT claim.',
  );
}

import { generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';
import { DriveError } from './drive-error.ts';

const lifetimeSeconds = 3599;

/** @see https://developers.google.com/workspace/drive/api/guides/api-specific-auth */
const driveScope = 'https://www.googleapis.com/auth/drive';
const writingScopes = [driveScope, `${driveScope}.file`];
const readingScopes = [...writingScopes, `${driveScope}.readonly`];

const signInAdvice =
  'Expected OAuth 2 access token, login cookie or other valid authentication credential. \
See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const header = { location: 'Authorization', locationType: 'header' };

/** The access tokens that were granted, and what each may do. */
export class AccessTokens {
  private readonly granted = new Map<string, { scopes: string[]; expiresAtMs: number }>();

  /** Makes a new token. Returns the body of the token endpoint's response. */
  grant(scopes: string[]) {
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.granted.set(token, { scopes, expiresAtMs: Date.now() + lifetimeSeconds * 1000 });
    return { access_token: token, expires_in: lifetimeSeconds, token_type: 'Bearer' };
  }

  /** Throws Drive's 401 or 403 unless the header carries a token that may read or, if `writes`, write. */
  check(authorization: string | undefined, writes: boolean): void {
    const token = authorization?.match(/^Bearer (.+)$/i)?.[1];
    if (!token) {
      const message = `Request is missing required authentication credential. ${signInAdvice}`;
      throw new DriveError(401, 'required', message, header);
    }
    const known = this.granted.get(token);
    if (!known || known.expiresAtMs < Date.now()) {
      const message = `Request had invalid authentication credentials. ${signInAdvice}`;
      throw new DriveError(401, 'authError', message, header);
    }
    const sufficient = writes ? writingScopes : readingScopes;
    if (known.scopes.some((scope) => sufficient.includes(scope))) return;
    const message = 'Request had insufficient authentication scopes.';
    throw new DriveError(403, 'insufficientPermissions', message);
  }
}

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

/** Makes a server's one service account. Its keys end with the server, which sets `token_uri` once it has an address. */
export function createServiceAccount(): { serviceAccount: ServiceAccount; publicKey: KeyObject } {
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
 * Returns the scopes that an assertion asks for; undefined unless the service account has signed it.
 * @see https://developers.google.com/identity/protocols/oauth2/service-account
 */
export function scopesIn(assertion: string, publicKey: KeyObject): string[] | undefined {
  const [header = '', payload = '', signature = ''] = assertion.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url')))
    return undefined;
  const { scope } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { scope?: string };
  return scope?.split(' ');
}

import { generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';
import { DriveError } from './drive-error.ts';

const lifetimeSeconds = 3599;

/** @see https://developers.google.com/workspace/drive/api/guides/api-specific-auth */
const driveScope = 'https://www.googleapis.com/auth/drive';

/** The access tokens that were granted. */
export class AccessTokens {
  private readonly expiries = new Map<string, number>();

  /** Makes a new token. Returns the body of the token endpoint's response. */
  grant() {
    const token = `ya29.${randomBytes(48).toString('base64url')}`;
    this.expiries.set(token, Date.now() + lifetimeSeconds * 1000);
    return { access_token: token, expires_in: lifetimeSeconds, token_type: 'Bearer' };
  }

  /** Throws Drive's 401 unless the header carries a token. */
  check(authorization = ''): void {
    const token = authorization.replace(/^Bearer /i, '');
    if ((this.expiries.get(token) ?? 0) > Date.now()) return;
    throw new DriveError(401, 'authError', 'Request had invalid authentication credentials.', {
      location: 'Authorization',
      locationType: 'header',
    });
  }
}

/** A service account's credentials, in the form of the key file that Google's console gives. */
export type ServiceAccount = ReturnType<typeof createServiceAccount>['serviceAccount'];

/** Makes a server's one service account. Its keys end with the server, which sets `token_uri` once it has an address. */
export function createServiceAccount() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const serviceAccount = {
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
 * Whether the service account has signed an assertion, which asks for the whole of Drive.
 * @see https://developers.google.com/identity/protocols/oauth2/service-account
 */
export function isGranted(assertion: string, publicKey: KeyObject): boolean {
  const [header = '', payload = '', signature = ''] = assertion.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))) return false;
  const { scope = '' } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return scope.split(' ').includes(driveScope);
}

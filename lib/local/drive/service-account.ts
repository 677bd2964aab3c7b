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

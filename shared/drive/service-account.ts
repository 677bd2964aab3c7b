import { createPrivateKey, sign } from 'node:crypto';
import * as v from 'valibot';
import { unavailable } from './errors.ts';

const PrivateKey = v.pipe(
  v.string(),
  v.check((pem) => Boolean(keyIn(pem)), 'is not a private key in PEM'),
);

/** The fields that are used of a service account's JSON key. @see https://developers.google.com/identity/protocols/oauth2/service-account */
const ServiceAccount = v.object({
  client_email: v.pipe(v.string(), v.email()),
  private_key: PrivateKey,
  private_key_id: v.optional(v.string()),
  token_uri: v.pipe(v.string(), v.url()),
  /** A field of ours: the person for whom the account acts, if it has domain-wide delegation. */
  subject: v.optional(v.pipe(v.string(), v.email())),
});
export type ServiceAccount = v.InferOutput<typeof ServiceAccount>;

const scope = 'https://www.googleapis.com/auth/drive';
const lifetimeSeconds = 3600;

/** Parses a secret's text. Throws a 503 that says what is wrong, and which value the secret needs. */
export function parseServiceAccount(text: string): ServiceAccount {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), ServiceAccount), text);
  if (read.success) return read.output;
  // Only the name of the field is shown: the issue's own message may quote the secret.
  throw notSetUp(`${v.getDotPath(read.issues[0]) ?? 'its text'} is missing or malformed`);
}

/** 503: there is no service account for requests to Drive. */
export function notSetUp(problem: string, cause?: unknown) {
  return unavailable(
    `Google Drive is not set up: ${problem}. Put the JSON key of a Google service account (client_email, private_key, token_uri) into the Drive secret.`,
    cause,
  );
}

/**
 * Signs the assertion that Google exchanges for an access token: a JWT that is valid for an hour.
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-3
 */
export function signAssertion(account: ServiceAccount): string {
  const issuedAt = Math.floor(Date.now() / 1000);
  const header = { alg: 'RS256', typ: 'JWT', kid: account.private_key_id };
  const claims = {
    iss: account.client_email,
    sub: account.subject,
    scope,
    aud: account.token_uri,
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
  };
  const signed = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  const signature = sign('sha256', Buffer.from(signed), account.private_key);
  return `${signed}.${signature.toString('base64url')}`;
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');

function keyIn(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

import { createPrivateKey, sign } from 'node:crypto';
import * as v from 'valibot';
import { unavailable } from './errors.ts';

const PrivateKey = v.pipe(
  v.string(),
  v.check((pem) => Boolean(keyIn(pem)), 'is not a private key in PEM'),
);

/** What Quire reads of a service account's JSON key, as Google hands it out. */
const ServiceAccount = v.object({
  client_email: v.pipe(v.string(), v.email()),
  private_key: PrivateKey,
  private_key_id: v.optional(v.string()),
  token_uri: v.pipe(v.string(), v.url()),
  /** Not Google's: the person for whom the account acts, where it has domain-wide delegation. */
  subject: v.optional(v.pipe(v.string(), v.email())),
});
export type ServiceAccount = v.InferOutput<typeof ServiceAccount>;

const scope = 'https://www.googleapis.com/auth/drive';
const lifetimeSeconds = 3600;

/** Reads a secret's text; throws what an operator must put there instead. */
export function parseServiceAccount(text: string): ServiceAccount {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), ServiceAccount), text);
  if (read.success) return read.output;
  // The issue's own message may quote what it found: a field's name can't.
  throw notSetUp(`${v.getDotPath(read.issues[0]) ?? 'its text'} is missing or malformed`);
}

/** 503: there is no service account to ask Drive with. */
export function notSetUp(problem: string, cause?: unknown) {
  return unavailable(
    `Google Drive is not set up: ${problem}. Put the JSON key of a Google service account (client_email, private_key, token_uri) into the Drive secret.`,
    cause,
  );
}

/** The signed claim that Google trades for an access token (RFC 7523). */
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

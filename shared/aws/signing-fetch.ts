import { fromEnv } from '@aws-sdk/credential-provider-env';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';

/**
 * Returns a `fetch` that signs requests for a service of AWS with this function's credentials. Bodies are texts.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signingFetch(service: string, region: string): typeof fetch {
  const sha256 = Hash.bind(null, 'sha256');
  const signer = new SignatureV4({ credentials: fromEnv(), region, service, sha256 });
  return async (target, init = {}) => {
    const { protocol, hostname, port, host, pathname, searchParams } = new URL(String(target));
    const headers = new Headers(init.headers);
    const signed = await signer.sign({
      method: init.method ?? 'GET',
      protocol,
      hostname,
      ...(port && { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { host, 'content-type': headers.get('content-type') ?? 'application/json' },
      body: init.body,
    });
    const { host: _, ...added } = signed.headers;
    for (const [name, value] of Object.entries(added)) headers.set(name, value);
    // A redirect would not have been signed.
    return fetch(target, { ...init, headers, redirect: 'error' });
  };
}

import type { OutgoingHttpHeaders, RequestOptions } from 'node:http';

/** A request that an SDK's client has signed, without its body. */
export interface SignedRequest {
  accessKeyId: string;
  /** The service as its signature names it, such as `dynamodb`. */
  service: string;
  /** The operation of a service whose protocol is JSON; else empty. */
  operation: string;
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
}

/**
 * Reads the signer of a request and its service; undefined if it isn't signed for AWS.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
 */
export function readSignature(options: RequestOptions): SignedRequest | undefined {
  const headers = (options.headers ?? {}) as OutgoingHttpHeaders;
  const signature = String(headers['authorization'] ?? '');
  const [, accessKeyId, service] =
    signature.match(/^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//) ?? [];
  if (!accessKeyId || !service) return undefined;
  return {
    accessKeyId,
    service,
    operation:
      String(headers['x-amz-target'] ?? '')
        .split('.')
        .at(-1) ?? '',
    method: options.method ?? 'GET',
    path: options.path ?? '/',
    headers,
  };
}

import type { LookupAddress } from 'node:dns';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf } from './address.ts';
import { UnreadableError } from './page.ts';

const maxHeaderBytes = 16_384;
const maxHeaders = 200;

/** What a request is made with, beside its URL. */
export interface RequestParts {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

/**
 * Sends a request over its own connection to the checked address. Returns the response, body unread. Throws
 * `unreachable`.
 */
export function send(
  url: URL,
  address: LookupAddress,
  { method, headers, body }: RequestParts,
  signal: AbortSignal,
) {
  const host = hostOf(url);
  const options: RequestOptions & { servername: string } = {
    protocol: url.protocol,
    hostname: host,
    port: url.port,
    path: url.pathname + url.search,
    method,
    headers,
    agent: false,
    lookup: pinnedTo(address),
    // TLS names the host, not its address; a literal address has no name.
    servername: isIP(host) ? '' : host.replace(/\.$/, ''),
    maxHeaderSize: maxHeaderBytes,
    signal,
  };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const fail = (cause?: unknown) => reject(new UnreadableError('unreachable', { cause }));
    const request = (url.protocol === 'https:' ? https : http).request(options);
    request.maxHeadersCount = maxHeaders;
    request.on('error', fail);
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      fail();
    });
    request.once('response', (response) => {
      // A response that nobody reads any more must not end the process.
      response.on('error', () => {});
      resolve(response);
    });
    request.end(body);
  });
}

/** Node asks for all addresses or for one, and wants each in a form of its own. */
function pinnedTo({ address, family }: LookupAddress): LookupFunction {
  return (_hostname, { all }, callback) => {
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

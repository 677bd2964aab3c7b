import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request comes from a page in a browser: it names an origin, is sent for another one's page, or came by
 * another's name (DNS rebinding). An opened link is none, as no page reads the answer.
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function isOfPage({ headers, socket }: IncomingMessage): boolean {
  const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  const isOfOtherOrigin = site === 'cross-site' || site === 'same-site';
  return (
    origin !== undefined ||
    (isOfOtherOrigin && mode !== 'navigate') ||
    !loopbackNames.some((name) => host?.toLowerCase() === `${name}:${socket.localPort}`)
  );
}

/** Asks `isRefused` about each request to a server before anything of it is read. It answers the refused ones. */
export function refuseRequests(
  server: Server,
  isRefused: (request: IncomingMessage, response: ServerResponse) => boolean,
): void {
  const [respond] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!isRefused(request, response)) respond?.call(server, request, response);
  });
}

/** Refuses requests of pages in browsers with 403: the loopback is open to any page. */
export function refusePages(server: Server): void {
  refuseRequests(server, (request, response) => {
    if (!isOfPage(request)) return false;
    response.writeHead(403, { 'content-type': 'text/plain' }).end('Not for pages of a browser.\n');
    return true;
  });
}

import { type RequestOptions, request } from 'node:http';

/** Sends a request with any headers, those too that `fetch` keeps for itself. Returns the response's status. */
export function statusOf(
  url: string,
  { body, ...options }: RequestOptions & { body?: string | undefined } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });
}

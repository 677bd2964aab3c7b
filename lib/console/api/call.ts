import { apiKey, forgetKey } from '../key/key.ts';
import { Failure, failureOf } from './failure.ts';

/** The service's base URL: the page's links are relative to it. */
export const root = new URL(
  document.body.dataset['root'] ?? './',
  location.origin + location.pathname,
).href;

type Method = 'GET' | 'POST' | 'DELETE';

/** Calls a route with the key; a plain body is JSON. Throws `Failure` unless it is a 2xx; a 401 forgets the key. */
export async function request(
  method: Method,
  path: string,
  body?: object,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const key = apiKey.value;
  const isForm = body instanceof FormData;
  const response = await send(new URL(path.slice(1), root), {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  if (response.ok) return response;
  const failure = await failureOf(response);
  if (response.status === 401 && key === apiKey.value) {
    forgetKey('The service doesn’t know this key: it was revoked, has expired, or never was.');
  }
  throw failure;
}

/** Calls a route with the key. Returns the JSON of its answer. */
export async function call<Answer>(
  method: Method,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Answer> {
  return (await (await request(method, path, body, signal)).json()) as Answer;
}

/** Reads what a route shows. */
export const get = <Answer>(path: string, signal?: AbortSignal) =>
  call<Answer>('GET', path, undefined, signal);

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new Failure(0, 'The service can’t be reached.', { cause });
  }
}

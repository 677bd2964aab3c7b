import { abortable } from '../abortable.ts';
import { log } from '../log.ts';
import { version } from '../version.ts';
import { checkAddress, parseUrl, type Resolve, resolveName } from './address.ts';
import { UnreadableError } from './page.ts';
import type { Message, PostOutcome, PostRequest } from './post.ts';
import { send } from './send.ts';

/** All that a message may take until its status is there. */
const defaultDeadlineMs = 10_000;

export interface PostOptions {
  resolve?: Resolve;
  deadlineMs?: number;
}

/** Posts messages to a URL, each over its own connection to a checked address, without redirects. Never throws. */
export function postMessages(
  { url, messages }: PostRequest,
  options: PostOptions = {},
): Promise<PostOutcome[]> {
  return Promise.all(messages.map((message) => post(url, message, options)));
}

async function post(
  text: string,
  { headers, body }: Message,
  { resolve = resolveName, deadlineMs = defaultDeadlineMs }: PostOptions,
): Promise<PostOutcome> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const url = parseUrl(text);
    const address = await abortable(checkAddress(url, resolve), signal);
    const response = await send(
      url,
      address,
      {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': `Quire/${version} (webhooks)`,
        },
        body,
      },
      signal,
    );
    response.destroy();
    return { status: response.statusCode ?? 0 };
  } catch (error) {
    if (signal.aborted) return { error: 'timeout' };
    if (error instanceof UnreadableError) return { error: error.reason };
    log('warn', 'message not posted', { error: error instanceof Error ? error.name : undefined });
    return { error: 'unreachable' };
  }
}

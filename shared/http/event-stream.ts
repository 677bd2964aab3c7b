import type { StreamedResponse } from './stream-endpoint.ts';

/** Silence after which a comment keeps idle proxies from closing the connection. */
const heartbeatMs = 15_000;

/** An object as one server-sent event. */
export const eventOf = (object: object) => `data: ${JSON.stringify(object)}\n\n`;

/** The event that says that a stream is whole. */
export const doneEvent = 'data: [DONE]\n\n';

/** A response of server-sent events: each an object's JSON, the last `[DONE]`. */
export function eventStream(events: AsyncGenerator<object>): StreamedResponse {
  return {
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
    body: withHeartbeats(events),
  };
}

async function* withHeartbeats(events: AsyncGenerator<object>): AsyncGenerator<string> {
  try {
    let next = events.next();
    for (;;) {
      const result = await within(next, heartbeatMs);
      if (result === 'silence') {
        yield ': still here\n\n';
        continue;
      }
      if (result.done) break;
      yield eventOf(result.value);
      next = events.next();
    }
    yield doneEvent;
  } finally {
    await events.return(undefined);
  }
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | 'silence'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(() => resolve('silence'), ms);
  });
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}

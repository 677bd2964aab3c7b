import type { StreamedResponse } from './stream-endpoint.ts';

/** After this silence a comment is sent, so that proxies don't close the connection as idle. */
export const heartbeatMs = 15_000;

/**
 * Writes an object as one server-sent event.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export const eventOf = (object: object) => `data: ${JSON.stringify(object)}\n\n`;

/** The last event of a whole stream, in OpenAI's format: a stream without it has broken off. */
export const doneEvent = 'data: [DONE]\n\n';

/** Makes a response of server-sent events: the JSON of each object, and `[DONE]` after the last. */
export function eventStream(events: AsyncGenerator<object>): StreamedResponse {
  return {
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
    body: withHeartbeats(written(events)),
  };
}

async function* written(events: AsyncGenerator<object>): AsyncGenerator<string> {
  for await (const event of events) yield eventOf(event);
  yield doneEvent;
}

/**
 * Passes pieces of whole events on, and says after each 15 seconds of silence that the connection is in use. Clients read
 * nothing in a comment.
 */
export async function* withHeartbeats<Piece>(
  pieces: AsyncGenerator<Piece>,
): AsyncGenerator<Piece | string> {
  try {
    for (let next = pieces.next(); ; ) {
      const result = await within(next, heartbeatMs);
      if (result === 'silent') yield ': still here\n\n';
      else if (result.done) return;
      else {
        yield result.value;
        next = pieces.next();
      }
    }
  } finally {
    await pieces.return(undefined);
  }
}

/** Awaits work for a time. Returns 'silent' if it is not done by then; the work goes on. */
export async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | 'silent'> {
  const { promise: silence, resolve } = Promise.withResolvers<'silent'>();
  const timer = setTimeout(() => resolve('silent'), ms);
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}

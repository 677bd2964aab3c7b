import { beforeEach, describe, expect, it, vi } from 'vitest';
import { eventStream } from '../../shared/http/event-stream.ts';

beforeEach(() => void vi.useFakeTimers());

const iteratorOf = (events: AsyncGenerator<object>) =>
  eventStream(events).body[Symbol.asyncIterator]();

async function partsOf(events: AsyncGenerator<object>): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of eventStream(events).body) parts.push(part);
  return parts;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('an event stream', () => {
  it('is each event’s JSON, and [DONE]', async () => {
    async function* events() {
      yield { type: 'start' };
      yield { type: 'delta', content: 'a\nb' };
    }

    const parts = await partsOf(events());

    expect(parts).toEqual([
      'data: {"type":"start"}\n\n',
      'data: {"type":"delta","content":"a\\nb"}\n\n',
      'data: [DONE]\n\n',
    ]);
  });

  it('is told not to be kept', () => {
    async function* none() {}

    expect(eventStream(none()).headers).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    });
  });

  it('has a comment after each 15 seconds of silence, and loses nothing', async () => {
    async function* slow() {
      await wait(40_000);
      yield { n: 1 };
      yield { n: 2 };
    }
    const parts: unknown[] = [];
    const reading = (async () => {
      for await (const part of eventStream(slow()).body) parts.push(part);
    })();

    await vi.advanceTimersByTimeAsync(14_999);
    const early = [...parts];
    await vi.advanceTimersByTimeAsync(40_000);
    await reading;

    expect(early).toEqual([]);
    expect(parts).toEqual([
      ': still here\n\n',
      ': still here\n\n',
      'data: {"n":1}\n\n',
      'data: {"n":2}\n\n',
      'data: [DONE]\n\n',
    ]);
  });

  it('leaves no timer behind', async () => {
    async function* events() {
      yield { n: 1 };
    }

    await partsOf(events());

    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends its events when its reader goes away', async () => {
    let ended = false;
    async function* events() {
      try {
        for (;;) yield { n: 1 };
      } finally {
        ended = true;
      }
    }
    const iterator = iteratorOf(events());
    await iterator.next();

    await iterator.return?.();

    expect(ended).toBe(true);
  });

  it('waits for what its events still do when its reader goes away in a silence', async () => {
    let ended = false;
    async function* events() {
      try {
        yield { n: 1 };
        await wait(20_000);
        yield { n: 2 };
      } finally {
        await wait(1_000);
        ended = true;
      }
    }
    const iterator = iteratorOf(events());
    await iterator.next();
    const silence = iterator.next();
    await vi.advanceTimersByTimeAsync(15_000);
    await silence;

    const leaving = iterator.return?.();
    await vi.advanceTimersByTimeAsync(6_000);
    await leaving;

    expect(ended).toBe(true);
  });
});

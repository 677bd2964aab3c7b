import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Turns } from '../../shared/documents/processes/turns.ts';

/** A task of a key, which comes after so many moments and takes so many; it may be given up after some. */
const task = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd'),
  comesAfter: fc.nat(30),
  takes: fc.nat(4),
  isGivenUpAfter: fc.option(fc.nat(10)),
});

interface Event {
  is: 'came' | 'began' | 'ended' | 'given up';
  key: string;
  task: number;
}

async function moments(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await setImmediate();
}

it('no key waits for more than one task of each other key, and its own run in their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(task, { maxLength: 40 }), async (tasks) => {
      const turns = new Turns();
      const events: Event[] = [];
      const runs = tasks.map(async ({ key, comesAfter, takes, isGivenUpAfter }, index) => {
        const note = (is: Event['is']) => events.push({ is, key, task: index });
        await moments(comesAfter);
        const stop = new AbortController();
        if (isGivenUpAfter !== null) void moments(isGivenUpAfter).then(() => stop.abort());
        note('came');
        const run = async () => {
          note('began');
          await moments(takes);
          note('ended');
        };
        await turns.run(key, run, stop.signal).catch(() => note('given up'));
      });

      await Promise.all(runs);

      for (const [at, { is, key, task }] of events.entries()) {
        if (is === 'began') expectFair(events.slice(0, at), key, task);
      }
      for (const key of ['a', 'b', 'c', 'd']) {
        const own = events.filter((event) => event.key === key);
        const left = new Set(own.filter(({ is }) => is === 'given up').map(({ task }) => task));
        const order = (wanted: Event['is']) =>
          own.filter(({ is, task }) => is === wanted && !left.has(task)).map(({ task }) => task);
        expect(order('began')).toEqual(order('came'));
        expect(order('ended')).toEqual(order('came'));
      }
    }),
    { numRuns: 300 },
  );
});

/** Since a task came, or since the one before it of its key ended, no other key has had two. */
function expectFair(before: Event[], key: string, task: number): void {
  const came = before.findIndex((event) => event.is === 'came' && event.task === task);
  const lastOfKey = before.findLastIndex(
    (event) => event.key === key && ['ended', 'given up'].includes(event.is),
  );
  const others = before
    .slice(Math.max(came, lastOfKey))
    .flatMap((event) => (event.is === 'ended' && event.key !== key ? [event.key] : []));
  expect(others).toEqual([...new Set(others)]);
}

it('a task that is given up while it waits is told so at once, and keeps no other waiting', async () => {
  const turns = new Turns();
  const began: string[] = [];
  const first = Promise.withResolvers<void>();
  const stop = new AbortController();
  const running = turns.run('a', () => first.promise);
  const given = turns.run('b', async () => began.push('given up'), stop.signal);
  const next = turns.run('b', async () => began.push('next'));

  stop.abort(new Error('Enough'));
  await expect(given).rejects.toThrow('Enough');
  first.resolve();
  await Promise.all([running, next]);

  expect(began).toEqual(['next']);
});

it('what a task throws is thrown to whoever runs it, and the next one runs', async () => {
  const turns = new Turns();
  const failing = turns.run('a', () => Promise.reject(new Error('broken')));
  const next = turns.run('a', async () => 'read');

  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('read');
});

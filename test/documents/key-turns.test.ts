import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Turns } from '../../shared/documents/processes/key-turns.ts';

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

const keys = ['a', 'b', 'c', 'd'];

async function moments(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await setImmediate();
}

it('one task of a key runs at a time, in their order, and each in a lane of its own', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(task, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      async (tasks, lanes) => {
        const turns = new Turns(lanes);
        const events: Event[] = [];
        const busy = new Set<number>();
        const runs = tasks.map(async ({ key, comesAfter, takes, isGivenUpAfter }, index) => {
          const note = (is: Event['is']) => events.push({ is, key, task: index });
          await moments(comesAfter);
          const stop = new AbortController();
          if (isGivenUpAfter !== null) void moments(isGivenUpAfter).then(() => stop.abort());
          note('came');
          const run = async (lane: number) => {
            expect(busy.has(lane)).toBe(false);
            busy.add(lane);
            note('began');
            await moments(takes);
            note('ended');
            busy.delete(lane);
          };
          await turns.run(key, run, stop.signal).catch(() => note('given up'));
        });

        await Promise.all(runs);

        expect(busy.size).toBe(0);
        for (const key of keys) {
          const own = events.filter((event) => event.key === key);
          const left = new Set(own.filter(({ is }) => is === 'given up').map(({ task }) => task));
          const order = (wanted: Event['is']) =>
            own.filter(({ is, task }) => is === wanted && !left.has(task)).map(({ task }) => task);
          expect(order('began')).toEqual(order('came'));
          expect(order('ended')).toEqual(order('came'));
          const running = own.filter(({ is }) => is === 'began' || is === 'ended');
          expect(running.map(({ is }) => is)).toEqual(
            running.map((_, at) => (at % 2 === 0 ? 'began' : 'ended')),
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});

it('the key whose tasks took the least time is next, however many tasks another has', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.constantFrom(...keys), takes: fc.nat(1_000) }), {
        minLength: 1,
        maxLength: 40,
      }),
      async (tasks) => {
        let now = 0;
        const turns = new Turns(1, () => now);
        const used = new Map(keys.map((key) => [key, 0]));
        const waiting = tasks.map(({ key }) => key);
        const runs = tasks.map(({ key, takes }, index) =>
          turns.run(key, async () => {
            // The first began before the others came.
            const others = index === 0 ? [] : waiting.map((each) => used.get(each) ?? 0);
            expect(used.get(key)).toBeLessThanOrEqual(Math.min(...others, Number.MAX_VALUE));
            waiting.splice(waiting.indexOf(key), 1);
            now += takes;
            used.set(key, (used.get(key) ?? 0) + takes);
          }),
        );
        await Promise.all(runs);
      },
    ),
    { numRuns: 300 },
  );
});

it('a key that comes later is not owed the time that others took before', async () => {
  let now = 0;
  const turns = new Turns(1, () => now);
  const began: string[] = [];
  const run = async (key: string): Promise<void> => {
    await turns.run(key, async () => {
      began.push(key);
      now += 100;
      if (began.length === 10) later.push(...Array.from({ length: 10 }, () => run('c')));
    });
  };
  const later: Promise<void>[] = [];

  await Promise.all(Array.from({ length: 10 }, () => [run('a'), run('b')]).flat());
  await Promise.all(later);

  const since = began.slice(began.indexOf('c'), -10);
  expect(since.filter((key) => key === 'c')).toHaveLength(Math.ceil(since.length / 3));
});

it('a task that is given up while it waits is told so at once, and keeps no other waiting', async () => {
  const turns = new Turns(1);
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
  const turns = new Turns(1);
  const failing = turns.run('a', () => Promise.reject(new Error('broken')));
  const next = turns.run('a', async () => 'read');

  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('read');
});

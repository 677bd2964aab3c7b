import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ByteBudget, NoRoomError, type Room } from '../../shared/http/byte-budget.ts';

afterEach(() => vi.useRealTimers());

const settled = () => new Promise(setImmediate);

/** Takes in the order of a list; `had` names those that were let in so far. */
function takes(budget: ByteBudget, had: string[]) {
  return (name: string, key: string, bytes: number, options = {}): Room => {
    const room = budget.room(key);
    const taken = room.take(bytes, options).then(() => had.push(name));
    taken.catch(() => {});
    return room;
  };
}

describe('a budget of bytes', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    // Small ones, usual ones, and some that are larger than there can be room for.
    bytes: fc.oneof(fc.nat(2), fc.nat(300), fc.nat(2_000)),
    kind: fc.constantFrom('new', 'new', 'answer', 'largeAnswer'),
    does: fc.constantFrom('open', 'open', 'more', 'close', 'give'),
    at: fc.nat(),
  });

  it('is never exceeded, lets everyone in, and has everything back in the end', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const budget = new ByteBudget(1_000);
      const rooms: Room[] = [];
      const waits: Promise<unknown>[] = [];
      for (const { key, bytes, kind, does, at } of steps) {
        const known = rooms[at % (rooms.length || 1)];
        if (does === 'close') known?.[Symbol.dispose]();
        if (does === 'give') known?.give(bytes);
        const room = does === 'open' ? budget.room(key) : does === 'more' ? known : undefined;
        if (does === 'open' && room) rooms.push(room);
        if (room) waits.push(room.take(bytes, { kind, waitMs: null } as object));
        await settled();
        expect(budget.usedBytes).toBeLessThanOrEqual(1_000);
        expect(budget.usedBytes).toBe(rooms.reduce((sum, { heldBytes }) => sum + heldBytes, 0));
      }
      // Whoever was let in ends, again and again, until nobody waits.
      for (let round = 0; round <= rooms.length; round++) {
        rooms.find(({ heldBytes }) => heldBytes > 0)?.[Symbol.dispose]();
        await settled();
      }
      await Promise.all(waits);

      for (const room of rooms) room[Symbol.dispose]();
      expect(budget.usedBytes).toBe(0);
    });

    await fc.assert(property, { numRuns: 200 });
  });

  it('lets a key that comes later in before the many that another has waiting', async () => {
    const had: string[] = [];
    const take = takes(new ByteBudget(1_000), had);
    const first = take('a0', 'a', 100);
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) take(`a${n}`, 'a', 100);
    take('b0', 'b', 200);
    take('c0', 'c', 100);
    await settled();
    expect(had).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);

    first[Symbol.dispose]();
    await settled();

    expect(had.slice(5)).toEqual(['a5', 'c0']);
  });

  it('gives a key no more than half while it has several rooms, and its only one all that requests have', async () => {
    const budget = new ByteBudget(1_000);
    const only = budget.room('a');
    expect(await only.take(5_000)).toBe(600);
    only[Symbol.dispose]();

    const had: string[] = [];
    const take = takes(budget, had);
    take('first', 'a', 300);
    take('second', 'a', 300);
    take('other', 'b', 300);
    await settled();

    expect(had).toEqual(['first', 'other']);
  });

  it('lets small calls pass by large ones, and answers by new calls', async () => {
    const had: string[] = [];
    const take = takes(new ByteBudget(10_000), had);
    take('full', 'a', 6_000);
    take('large', 'b', 3_000);
    take('small', 'c', 10);
    take('answer', 'a', 400, { kind: 'answer' });
    take('large answer', 'a', 2_500, { kind: 'largeAnswer' });
    await settled();

    expect(had).toEqual(['full', 'small', 'answer', 'large answer']);
  });

  it('always has room for one answer of any size, however many others wait for more', async () => {
    const had: string[] = [];
    const take = takes(new ByteBudget(1_000), had);
    take('calls', 'a', 600);
    const answers = [1, 2, 3].map((n) => take(`answer ${n}`, 'b', 900, { kind: 'largeAnswer' }));

    for (const answer of answers) {
      await settled();
      answer[Symbol.dispose]();
    }

    expect(had).toEqual(['calls', 'answer 1', 'answer 2', 'answer 3']);
  });

  it('refuses who waited in vain with a 503 that says when to try again, and nobody behind', async () => {
    vi.useFakeTimers();
    const budget = new ByteBudget(1_000);
    const full = budget.room('a');
    await full.take(600);
    const refused = budget.room('b').take(500, { waitMs: 1_000 });
    const patient = budget.room('c').take(100, { waitMs: 60_000 });
    const fails = expect(refused).rejects.toThrow(NoRoomError);

    await vi.advanceTimersByTimeAsync(1_000);
    full.give(100);

    await fails;
    expect(new NoRoomError()).toMatchObject({ statusCode: 503, retryAfterSeconds: 5 });
    expect(await patient).toBe(100);
  });

  it('is left by who is told to stop, and takes nothing for a room that was closed meanwhile', async () => {
    const budget = new ByteBudget(1_000);
    const full = budget.room('a');
    await full.take(600);
    const stop = new AbortController();
    const stopped = budget.room('b').take(500, { signal: stop.signal });
    const gone = budget.room('c');
    const late = gone.take(300);

    stop.abort(new Error('stopped'));
    gone[Symbol.dispose]();
    full[Symbol.dispose]();
    full[Symbol.dispose]();

    await expect(stopped).rejects.toThrow('stopped');
    await late;
    expect(budget.usedBytes).toBe(0);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { keepSession, sessionHistory } from '../../shared/chat/session.ts';
import { stopClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore();

const key = { keyId: 'key_1', userId: 'ann', sessionId: 'a session' };
const turn = (content: string) => ({ role: 'user' as const, content });

describe('a session', () => {
  it('has no turns before its first', async () => {
    expect(await sessionHistory({ ...key, sessionId: 'new' })).toEqual([]);
  });

  it('is kept for 24 hours after its last turn', async () => {
    stopClock();
    await keepSession(key, [turn('hi')], Date.now());

    vi.advanceTimersByTime(24 * 3_600_000 - 1_000);
    const before = await sessionHistory(key);
    vi.advanceTimersByTime(1_000);
    const after = await sessionHistory(key);

    expect(before).toEqual([turn('hi')]);
    expect(after).toEqual([]);
  });

  it('gives up its oldest turns once all are more than an item holds', async () => {
    const turns = Array.from({ length: 50 }, (_, n) => turn(`${n} ${'é'.repeat(5_000)}`));

    await keepSession(key, turns, Date.now());

    const kept = await sessionHistory(key);
    expect(kept).toEqual(turns.slice(-kept.length));
    expect(kept).toHaveLength(29);
  });

  it('is measured once for each turn, however many are dropped', async () => {
    const turns = Array.from({ length: 2_000 }, (_, n) => turn(`${n} ${'x'.repeat(500)}`));
    const written = vi.spyOn(JSON, 'stringify');

    await keepSession(key, turns, Date.now());

    const lists = written.mock.calls.filter(([value]) => Array.isArray(value) && value.length > 2);
    expect(lists).toHaveLength(1);
    expect(written.mock.calls.length).toBeLessThan(turns.length);
    const kept = await sessionHistory(key);
    expect(kept).toEqual(turns.slice(-kept.length));
  });

  it.each([
    ['of four bytes', '🙂'],
    ['that JSON escapes', '\u0001'],
    ['of half a pair', '\ud83d'],
  ])('keeps the beginning of the newest two, of characters %s', async (_, character) => {
    const long = character.repeat(1_000_000);

    await keepSession(key, [turn('old'), turn(long), turn(long)], Date.now());

    const kept = await sessionHistory(key);
    expect(kept).toHaveLength(2);
    for (const { content } of kept) {
      expect(content).toHaveLength(25_000);
      expect(long.startsWith(content)).toBe(true);
    }
  });

  it('cuts no character in two', async () => {
    const long = `a${'🙂'.repeat(200_000)}`;

    await keepSession(key, [turn(long), turn(long)], Date.now());

    const kept = await sessionHistory(key);
    expect(kept).toEqual([turn(long.slice(0, 24_999)), turn(long.slice(0, 24_999))]);
  });
});

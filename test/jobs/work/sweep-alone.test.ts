import { afterEach, expect, it, vi } from 'vitest';
import { sweepAlone } from '../../../shared/jobs/work/sweep-alone.ts';
import { useStore } from '../../support/worlds/store.ts';

await useStore();
const done: string[] = [];
const sweep = (name: string) => async () => void done.push(name);
afterEach(() => {
  done.length = 0;
});

it('a sweep that finds another one at work ends', async () => {
  const first = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const running = sweepAlone(0, async () => {
    began.resolve();
    await first.promise;
  });
  await began.promise;

  const ran = await sweepAlone(0, sweep('second'));
  first.resolve();

  expect([ran, done]).toEqual([false, []]);
  expect(await running).toBe(true);
});

it('the next one runs, even if the one before failed', async () => {
  const failing = sweepAlone(0, () => Promise.reject(new Error('no store')));
  await expect(failing).rejects.toThrow('no store');

  expect(await sweepAlone(0, sweep('next'))).toBe(true);
  expect(done).toEqual(['next']);
});

it('one that died holds up the next for a minute at most, and never ends its successor’s', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const late = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const lost = sweepAlone(0, () => {
    began.resolve();
    return late.promise;
  });
  await began.promise;

  vi.advanceTimersByTime(60_001);
  const third = await sweepAlone(0, async () => {
    late.resolve();
    await lost;
    done.push(String(await sweepAlone(0, sweep('beside'))));
  });

  expect([third, done]).toEqual([true, ['false']]);
});

it('others with numbers of their own run beside it, each once', async () => {
  await sweepAlone(0, async () => {
    await sweepAlone(1, async () => {
      done.push(
        String(await sweepAlone(1, sweep('again'))),
        String(await sweepAlone(2, sweep('third'))),
      );
    });
  });

  expect(done).toEqual(['third', 'false', 'true']);
});

it('goes through every shard that there ever was, after a deployment has taken some away', async () => {
  const lanes: string[][] = [];
  const note = async (given: string[]) => void lanes.push(given);

  vi.stubEnv('LANE_SHARDS', '3');
  await sweepAlone(0, note);
  vi.stubEnv('LANE_SHARDS', '1');
  await sweepAlone(0, note);
  vi.stubEnv('LANE_SHARDS', '4');
  await sweepAlone(0, note);

  expect(lanes.map(({ length }) => length)).toEqual([9, 9, 12]);
  expect(lanes[1]).toContain('ocr#2');
});

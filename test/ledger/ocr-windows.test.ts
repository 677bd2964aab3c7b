import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { dynamodb, getItem } from '../../shared/aws/dynamodb.ts';
import { setting } from '../../shared/config.ts';
import {
  giveBackImages,
  hourOf,
  imagesTaken,
  imagesUsed,
  resetOcrWindows,
  returnUnreadImages,
  takeImage,
} from '../../shared/ledger/images-hour.ts';
import { cases } from '../support/run/cases.ts';
import { hourMs, pass, useStoppedClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';

const store = await useStore();
let keys = 0;
const newKey = () => `key_${++keys}`;

useStoppedClock();

/** Takes an image for each of the jobs at once, and returns the hours of those that were given. */
async function takeAtOnce(key: string, jobs: string[], limit: number): Promise<string[]> {
  const taken = await Promise.all(jobs.map((job) => takeImage(key, job, limit)));
  return taken.flatMap((hour) => hour ?? []);
}

describe('an hour', () => {
  it('gives what it has and no image more, however many ask at once', {
    tags: 'exhaustive',
  }, async () => {
    const key = newKey();
    const jobs = Array.from({ length: 40 }, (_, index) => `job_${index % 3}`);

    const taken = await takeAtOnce(key, jobs, 25);

    expect(taken).toEqual(Array(25).fill(hourOf(Date.now())));
    expect(await imagesUsed(key)).toBe(25);
  });

  it('of none gives none', async () => {
    const key = newKey();

    expect(await takeImage(key, 'job_a', 0)).toBeUndefined();
    expect(await imagesUsed(key)).toBe(0);
  });

  it('that is over counts as empty, before anybody resets it', async () => {
    const key = newKey();
    await takeAtOnce(key, ['job_a', 'job_a'], 2);

    pass(hourMs);

    expect(await imagesUsed(key)).toBe(0);
    expect(await imagesTaken(key, 'job_a')).toBe(0);
    expect(await takeAtOnce(key, ['job_a', 'job_a', 'job_a'], 2)).toHaveLength(2);
    expect(await imagesUsed(key)).toBe(2);
  });

  it('that has begun by another clock is taken from, and does not end again', async () => {
    const key = newKey();
    const now = Date.now();
    pass(hourMs);
    const next = await takeImage(key, 'job_a', 2);

    vi.setSystemTime(now);
    const late = await takeAtOnce(key, ['job_b', 'job_b'], 2);

    expect(late).toEqual([next]);
    pass(hourMs);
    expect(await imagesUsed(key)).toBe(2);
  });
});

describe('what is given back', () => {
  it('can be taken by another job, in its own hour alone', async () => {
    const key = newKey();
    const [hour = ''] = await takeAtOnce(key, ['job_a', 'job_a'], 2);

    await giveBackImages(key, 'job_a', hour, 1);
    expect(await takeAtOnce(key, ['job_b', 'job_b'], 2)).toHaveLength(1);
    pass(hourMs);
    await takeImage(key, 'job_b', 2);
    await giveBackImages(key, 'job_b', hour, 1);

    expect(await imagesUsed(key)).toBe(1);
  });

  it('leaves nothing of a job that waits, however many come', async () => {
    const key = newKey();
    const [hour = ''] = await takeAtOnce(key, ['job_a', 'job_b'], 9);
    for (const job of ['job_b', 'job_c', 'job_d']) {
      await takeImage(key, job, 9);
      await giveBackImages(key, job, hour, 1);
    }
    await giveBackImages(key, 'job_b', hour, 1);

    const window = await windowOf(key);
    expect({ used: window?.used, taken: window?.taken }).toEqual({ used: 1, taken: { job_a: 1 } });
  });

  it('is never more than the job took', async () => {
    const key = newKey();
    await takeImage(key, 'job_a', 5);

    await giveBackImages(key, 'job_b', hourOf(Date.now()), 1);
    await giveBackImages(key, 'job_a', hourOf(Date.now()), 2);

    expect(await imagesUsed(key)).toBe(1);
  });

  it('is what a closed job took and did not read', async () => {
    const key = newKey();
    await takeAtOnce(key, ['job_a', 'job_a', 'job_a', 'job_b'], 9);

    await returnUnreadImages(key, 'job_a', () => 1);
    await returnUnreadImages(key, 'job_a', () => 1);

    expect(await imagesUsed(key)).toBe(2);
    expect(await imagesTaken(key, 'job_a')).toBe(0);
    expect(await imagesTaken(key, 'job_b')).toBe(1);
  });
});

describe('the reset', () => {
  it('empties each window that is over once, hour after hour, and no other', async () => {
    await store.renew();
    const [early, late] = [newKey(), newKey()];
    await takeImage(early, 'job_a', 5);
    pass(hourMs);
    await takeImage(late, 'job_a', 5);

    expect(await resetOcrWindows()).toBe(1);
    expect(await resetOcrWindows()).toBe(0);
    expect(await imagesUsed(late)).toBe(1);
    await takeImage(early, 'job_a', 5);
    expect(await imagesUsed(early)).toBe(1);

    pass(hourMs);
    expect(await resetOcrWindows()).toBe(2);
    expect(await listedWindows()).toEqual([]);
  });
});

const windowOf = (key: string) =>
  getItem<{ used: number; taken: Record<string, number> }>(setting('LEDGER_TABLE'), {
    key_id: key,
    entry: 'images',
  });

async function listedWindows() {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('LEDGER_TABLE'),
      IndexName: 'audits',
      KeyConditionExpression: 'audit_lane = :lane',
      ExpressionAttributeValues: { ':lane': 'images' },
    }),
  );
  return Items.map(({ key_id }) => key_id);
}

it('counts what is taken and not given back, whatever jobs do at the same time', {
  tags: 'exhaustive',
}, async () => {
  const aJob = fc.record({
    id: fc.constantFrom('job_a', 'job_b', 'part_c'),
    takes: fc.nat(4),
    givesBack: fc.nat(4),
  });
  const anHour = fc.record({
    jobs: fc.array(aJob, { minLength: 1, maxLength: 5 }),
    limit: fc.nat(8),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(anHour, { minLength: 1, maxLength: 3 }), async (hours) => {
      const key = newKey();

      for (const { jobs, limit } of hours) {
        pass(hourMs);
        const kept = await Promise.all(
          jobs.map(async ({ id, takes, givesBack }) => {
            const taken = await takeAtOnce(key, Array(takes).fill(id), limit);
            const back = taken.slice(0, givesBack);
            await Promise.all(back.map((hour) => giveBackImages(key, id, hour, 1)));
            return taken.length - back.length;
          }),
        );

        const used = kept.reduce((sum, each) => sum + each, 0);
        expect(used).toBeLessThanOrEqual(limit);
        expect(await imagesUsed(key)).toBe(used);
        const asked = jobs.reduce((sum, { takes }) => sum + takes, 0);
        const given = await takeAtOnce(key, Array(limit + 1).fill('job_z'), limit);
        expect(given).toHaveLength(limit - used);
        if (asked <= limit) {
          expect(kept).toEqual(jobs.map(({ takes, givesBack }) => Math.max(0, takes - givesBack)));
        }
      }
    }),
    { numRuns: cases(4, 25) },
  );
});

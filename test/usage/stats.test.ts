import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { countJobs, reportBatchStats } from '../../shared/usage/batch-stats.ts';
import { countCharges } from '../../shared/usage/count.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { reportStats } from '../../shared/usage/stats.ts';
import { useStoppedClock } from '../support/worlds/clock.ts';
import { putJobs } from '../support/worlds/put-jobs.ts';
import { useStore } from '../support/worlds/store.ts';
import { endedCharge, newKeyId } from '../support/worlds/usage-world.ts';

await useStore();
const now = '2026-11-20T00:00:00.000Z';
const callerOf = (keyId: string) => ({ keyId, limits: JSON.stringify(defaultLimits) });

useStoppedClock(now);

/** A key whose charges are counted. */
async function keyWith(...charges: Partial<EndedCharge>[]): Promise<string> {
  const keyId = newKeyId();
  await countCharges(keyId, await Promise.all(charges.map((each) => endedCharge(keyId, each))));
  return keyId;
}

describe('stats', () => {
  it.each([
    ['1d', 1],
    ['7d', 3],
    ['30d', 5],
    ['all', 6],
  ] as const)('of %s count the calls that ended in it', async (period, requests) => {
    const keyId = await keyWith(
      { ended_at: now },
      { ended_at: '2026-11-19T23:59:59.999Z' },
      { ended_at: '2026-11-14T00:00:00.000Z' },
      { ended_at: '2026-11-13T23:59:59.999Z' },
      { ended_at: '2026-10-22T00:00:00.000Z' },
      { ended_at: '2026-10-21T23:59:59.999Z' },
    );

    expect(await reportStats(callerOf(keyId), { period })).toMatchObject({ period, requests });
  });

  it('list models by their tokens, then by name, each once', async () => {
    const used = { prompt_tokens: 2, completion_tokens: 3, cost: 1 };
    const keyId = await keyWith(
      { model: 'b', ...used, images: 3 },
      { model: 'c', ...used },
      { model: 'c', ...used, ended_at: '2026-11-19T12:00:00.000Z' },
      { model: 'a', ...used },
      { model: 'd', failed: true },
    );

    expect(await reportStats(callerOf(keyId), { period: '7d' })).toEqual({
      period: '7d',
      days: expect.any(Array),
      tokens: { total: 20, prompt: 8, completion: 12 },
      requests: 5,
      estimated_cost_usd: 4e-9,
      models: [
        { name: 'c', requests: 2, tokens: 10, cost_usd: 2e-9, pages: 0 },
        { name: 'a', requests: 1, tokens: 5, cost_usd: 1e-9, pages: 0 },
        { name: 'b', requests: 1, tokens: 5, cost_usd: 1e-9, pages: 3 },
        { name: 'd', requests: 1, tokens: 0, cost_usd: 0, pages: 0 },
      ],
    });
  });
});

describe('the days of stats', () => {
  const use = { prompt_tokens: 2, completion_tokens: 3, images: 1, cost: 4 };
  const shown = {
    ...{ requests: 1, failed_requests: 0, prompt_tokens: 2, completion_tokens: 3 },
    ...{ pages: 1, cost_usd: 4e-9 },
  };

  it('list each day and model with use, the oldest first', async () => {
    const keyId = await keyWith(
      { model: 'b', ...use },
      { model: 'a', failed: true },
      { model: 'b', ...use, ended_at: '2026-11-18T12:00:00.000Z' },
      { model: 'b', ...use, ended_at: '2026-11-10T12:00:00.000Z' },
    );

    const { days } = await reportStats(callerOf(keyId), { period: '7d' });

    const failed = { requests: 1, failed_requests: 1, prompt_tokens: 0, completion_tokens: 0 };
    expect(days).toEqual([
      { date: '2026-11-18', model: 'b', ...shown },
      { date: '2026-11-20', model: 'a', ...failed, pages: 0, cost_usd: 0 },
      { date: '2026-11-20', model: 'b', ...shown },
    ]);
  });

  it('of all go back to the first use', async () => {
    const keyId = await keyWith({ model: 'b', ...use, ended_at: '2024-02-29T12:00:00.000Z' });

    const { days } = await reportStats(callerOf(keyId), { period: 'all' });

    expect(days).toEqual([{ date: '2024-02-29', model: 'b', ...shown }]);
  });
});

describe('batch stats', () => {
  it('list days with use, the oldest first, and their tags by name, without other tags', async () => {
    const ocr = { tags: ['batch', 'batch:ocr'], images: 2, cost: 3_000_000 };
    const chat = {
      tags: ['batch', 'batch:chat'],
      prompt_tokens: 7,
      completion_tokens: 5,
      cost: 500,
    };
    const keyId = await keyWith(
      { ...ocr, ended_at: now },
      { ...chat, ended_at: now },
      { tags: ['batch', 'batch:chat'], failed: true, ended_at: now },
      { ...chat, ended_at: '2026-11-18T12:00:00.000Z' },
      { ...chat, ended_at: '2026-11-17T12:00:00.000Z' },
      { tags: ['chat'], cost: 9, ended_at: now },
    );

    const { days, totals } = await reportBatchStats(callerOf(keyId), { days: 3 });

    const none = { prompt_tokens: 0, completion_tokens: 0, images: 0, spend_usd: 0 };
    const oneChat = {
      ...{ requests: 1, successful_requests: 1, failed_requests: 0 },
      ...{ prompt_tokens: 7, completion_tokens: 5, images: 0, spend_usd: 5e-7 },
    };
    const ofToday = {
      ...{ requests: 3, successful_requests: 2, failed_requests: 1 },
      ...{ prompt_tokens: 7, completion_tokens: 5, images: 2, spend_usd: 0.0030005 },
    };
    expect(days).toEqual([
      { date: '2026-11-18', tag: 'batch', ...oneChat },
      { date: '2026-11-18', tag: 'batch:chat', ...oneChat },
      { date: '2026-11-20', tag: 'batch', ...ofToday },
      {
        ...{ date: '2026-11-20', tag: 'batch:chat', ...oneChat },
        ...{ requests: 2, failed_requests: 1 },
      },
      {
        ...{ date: '2026-11-20', tag: 'batch:ocr', ...none },
        ...{ requests: 1, successful_requests: 1, failed_requests: 0, images: 2, spend_usd: 0.003 },
      },
    ]);
    expect(totals).toEqual({
      ...{ requests: 4, successful_requests: 3, failed_requests: 1 },
      ...{ prompt_tokens: 14, completion_tokens: 10, images: 2, spend_usd: 0.003001 },
    });
  });
});

describe('jobs', () => {
  it('are counted by status, from a moment on, whatever else the table holds', async () => {
    const keyId = newKeyId();
    const since = Date.parse('2026-11-18');
    await putJobs(keyId, [
      { created: since - 1, status: 'done' },
      { created: since, status: 'done' },
      { created: since + 1, status: 'done' },
      { created: Date.now(), status: 'queued' },
    ]);

    const counts = await countJobs(keyId, since);

    expect(counts).toEqual({
      byStatus: { queued: 1, processing: 0, done: 2, failed: 0, cancelled: 0 },
      sinceMs: since,
    });
  });

  it('are counted page by page and, of too many, the newest, telling how far back', async () => {
    const keyId = newKeyId();
    const messages_json = 'x'.repeat(100_000);
    const created = Array.from({ length: 25 }, (_, n) => Date.now() - 1000 * (25 - n));
    await putJobs(
      keyId,
      created.map((ms) => ({ created: ms, status: 'failed', messages_json })),
    );

    const all = await countJobs(keyId, 0);
    const some = await countJobs(keyId, 0, 2);

    expect(all).toMatchObject({ byStatus: { failed: 25 }, sinceMs: 0 });
    const { failed } = some.byStatus;
    expect(failed).toBeLessThan(25);
    expect(some.sinceMs).toBe(created[25 - failed]);
  });
});

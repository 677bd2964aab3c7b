import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { handler as resetOcrWindows } from '../../../functions/reset-ocr-windows.ts';
import { dynamodb, getItem } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { wakeWaiting } from '../../../shared/jobs/operators/wake.ts';
import type { OcrResult } from '../../../shared/jobs/results/result.ts';
import { cancelJob } from '../../../shared/jobs/routes/stop.ts';
import { changeKey } from '../../../shared/keys/key.ts';
import { reportLimits } from '../../../shared/keys/limits-report.ts';
import { takeImage } from '../../../shared/ledger/images-hour.ts';
import { type SmallPage, smallPdf, words } from '../../support/fixtures/small-documents.ts';
import { some } from '../../support/run/cases.ts';
import { hourMs, pass, useFreshHour } from '../../support/worlds/clock.ts';
import { expectPaid, usdPerPage, useOf } from '../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../support/worlds/document-world.ts';
import { allJobs } from '../../support/worlds/jobs.ts';
import { runCounted } from '../../support/worlds/killed-workers.ts';

const world = await useDocumentWorld();

useFreshHour();

const scans = (count: number, firstGrey = 20): SmallPage[] =>
  Array.from({ length: count }, (_, page) => ({ grey: firstGrey + 10 * page }));

const printed = (count: number): SmallPage[] =>
  Array.from({ length: count }, (_, page) => ({ words: words(page + 1) }));

const long = () =>
  Array.from(
    { length: 60 },
    (_, index): SmallPage =>
      [0, 1, 58, 59].includes(index)
        ? { grey: 20 + 10 * (index % 10) }
        : { words: words(index + 1) },
  );

let documents = 0;

async function submit(caller: Caller, pages: SmallPage[], rest: object = {}): Promise<string> {
  const drive = { file_id: await world.add(`document-${++documents}.pdf`, await smallPdf(pages)) };
  const { id } = await world.submit(caller, { job_type: 'ocr', drive, ...rest });
  await world.work();
  return id;
}

/** What the hour's end does, and what follows from it. */
async function nextHour(): Promise<void> {
  pass(hourMs);
  await resetOcrWindows();
  await world.work();
}

/** What the next sweep does, and what follows from it. */
async function nextMinute(): Promise<void> {
  pass(60_000);
  await world.sweep();
  await world.work();
}

const pagesOf = (result: unknown) =>
  (result as OcrResult).pages.map(({ page, text }) => [page, text]);

describe("the hour's images", () => {
  it('used up, the document waits with what it has, and goes on when the next ones are there', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller({ images_per_hour: 2 });

    const id = await submit(caller, scans(5));

    const waiting = await world.read(caller, id);
    expect(waiting).toMatchObject({ status: 'queued', retry_count: 0, result: null });
    expect(waiting.error).toMatch(/^ocr_quota_exceeded: The 2 images .* used up/);
    const { ocr } = await reportLimits(caller);
    expect(ocr).toMatchObject({ images_per_hour: 2, used_this_hour: 2, remaining: 0 });
    expect((await useOf(caller)).pages).toBe(2);

    await nextHour();
    expect(await world.read(caller, id)).toMatchObject({ status: 'queued', retry_count: 0 });
    expect(await useOf(caller)).toMatchObject({ pages: 4, images: 2, held: 0 });

    await nextHour();
    const done = await world.read(caller, id);
    expect(done).toMatchObject({ status: 'done', error: null, retry_count: 0 });
    expect(pagesOf(done.result)).toEqual(
      [20, 30, 40, 50, 60].map((grey, at) => [at + 1, `grey ${grey}`]),
    );
    expect(done.result).toMatchObject({ images_used: 5, cost_usd: 5 * usdPerPage });
    expect((await useOf(caller)).images).toBe(1);
    await expectPaid([caller], 5);
  });

  it('of none fail a scan at once, and leave a printed document alone', async () => {
    const caller = await world.newCaller({ images_per_hour: 0 });

    const scan = await submit(caller, scans(2));
    const printed = await submit(caller, [{ words: words(1) }]);
    const mixed = await submit(caller, [{ words: words(1) }, { grey: 70 }]);

    const { status, error, retry_count } = await world.read(caller, scan);
    expect({ status, retry_count }).toEqual({ status: 'failed', retry_count: 0 });
    expect(error).toMatch(/^ocr_not_allowed: /);
    expect((await world.read(caller, printed)).status).toBe('done');
    expect(await world.read(caller, mixed)).toMatchObject({
      status: 'failed',
      result: { pages: [{ page: 1, source: 'text_layer' }] },
    });
    expect(await useOf(caller)).toEqual({ pages: 0, held: 0, used: 0, images: 0 });
  });

  it('are shared by the documents of one key, and by no other key', async () => {
    const caller = await world.newCaller({ images_per_hour: 3 });
    const other = await world.newCaller({ images_per_hour: 3 });

    const ids = [await submit(caller, scans(2)), await submit(caller, scans(2, 90))];
    const others = await submit(other, scans(3));

    const statuses = await Promise.all(
      ids.map(async (id) => (await world.read(caller, id)).status),
    );
    expect(statuses).toEqual(['done', 'queued']);
    expect((await world.read(other, others)).status).toBe('done');
    expect((await useOf(caller)).images).toBe(3);
  });
});

describe('raised limits', () => {
  it.each([
    ['of images', { images_per_hour: 2 }, { images_per_hour: 9 }, scans(3)],
    ['of images, for a document in parts', { images_per_hour: 2 }, { images_per_hour: 9 }, long()],
    [
      'of money that comes anew tomorrow',
      { budget_usd: 2.5 * usdPerPage, duration_seconds: 86_400 },
      { budget_usd: 9 * usdPerPage },
      scans(3),
    ],
  ])('%s have the jobs that wait ask again', async (_, given, raised, pages) => {
    const caller = await world.newCaller(given);
    const id = await submit(caller, pages);
    expect(await wakeWaiting([(await world.newCaller()).keyId])).toBe(0);
    expect((await world.read(caller, id)).status).toBe('queued');

    await changeKey(caller.keyId, raised);
    const woken = await wakeWaiting([caller.keyId]);
    await nextMinute();

    const { status, result } = await world.read(caller, id);
    expect({ woken, status }).toEqual({ woken: 1, status: 'done' });
    expect((result as OcrResult).pages).toHaveLength(pages.length);
  });

  it('that suffice no longer leave the job waiting, in its place', async () => {
    const caller = await world.newCaller({ images_per_hour: 2 });
    const id = await submit(caller, scans(5));

    await changeKey(caller.keyId, { images_per_hour: 3 });
    await wakeWaiting([caller.keyId]);
    await nextMinute();

    expect(await world.read(caller, id)).toMatchObject({ status: 'queued', retry_count: 0 });
    expect((await useOf(caller)).images).toBe(3);
    await nextHour();
    expect((await world.read(caller, id)).status).toBe('done');
  });
});

describe('a document in parts', () => {
  it('that has used up the images of the hour is itself queued again, and goes on', async () => {
    const caller = await world.newCaller({ images_per_hour: 2 });

    const id = await submit(caller, long());

    const waiting = await world.read(caller, id);
    expect(waiting).toMatchObject({ status: 'queued', retry_count: 0 });
    expect(waiting.error).toMatch(/^ocr_quota_exceeded: /);
    expect((await useOf(caller)).images).toBe(2);

    await nextHour();
    const done = await world.read(caller, id);
    expect(done).toMatchObject({ status: 'done', error: null, retry_count: 0 });
    const { pages, images_used } = done.result as OcrResult;
    expect(pages.map(({ page }) => page)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    expect(images_used).toBe(4);
    await expectPaid([caller], 4);
  });

  it('ends with its parts where it is cancelled while it waits', async () => {
    const caller = await world.newCaller({ images_per_hour: 2 });
    const id = await submit(caller, long());

    await cancelJob(caller, id);
    await nextHour();

    const family = (await allJobs()).filter(
      ({ key_id, status }) => key_id === caller.keyId && status,
    );
    expect(family.length).toBe(3);
    expect(family.filter(({ status }) => status === 'queued' || status === 'processing')).toEqual(
      [],
    );
    expect((await world.read(caller, id)).status).toBe('cancelled');
    expect(await useOf(caller)).toMatchObject({ pages: 2, images: 0, held: 0 });
  });
});

describe('a budget', () => {
  it('spent in the middle fails the document, which keeps what was read', async () => {
    const caller = await world.newCaller({ budget_usd: 2.5 * usdPerPage });

    const id = await submit(caller, scans(4));
    await settleDown(caller, id);

    const { status, error, result } = await world.read(caller, id);
    expect(status).toBe('failed');
    expect(error).toMatch(/^budget_exceeded: /);
    expect(pagesOf(result)).toHaveLength(2);
    expect(result).toMatchObject({ page_count: 4, cost_usd: 2 * usdPerPage });
    expect(await useOf(caller)).toEqual({ pages: 2, held: 0, used: 2 * usdPerPage, images: 2 });
  });

  it('spent gives back what a dead worker took of the hour', async () => {
    const caller = await world.newCaller({ budget_usd: 0.5 * usdPerPage });

    const drive = { file_id: await world.add('left.pdf', await smallPdf(scans(1))) };
    const { id } = await world.submit(caller, { job_type: 'ocr', drive });
    await takeImage(caller.keyId, id, 100);
    await takeImage(caller.keyId, id, 100);
    await world.work();
    await settleDown(caller, id);

    expect((await world.read(caller, id)).error).toMatch(/^budget_exceeded: /);
    expect(await useOf(caller)).toMatchObject({ pages: 0, held: 0, images: 0 });
  });

  it('spent in the middle of a document in parts does the same', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller({ budget_usd: 2.5 * usdPerPage });
    const pages = Array.from(
      { length: 60 },
      (_, index): SmallPage => (index % 15 === 0 ? { grey: 50 } : { words: words(index + 1) }),
    );

    const id = await submit(caller, pages);
    await settleDown(caller, id);

    const { status, error, result } = await world.read(caller, id);
    expect({ status, error }).toEqual({
      status: 'failed',
      error: expect.stringMatching(/^budget_exceeded: /),
    });
    expect((result as OcrResult).images_used).toBe(2);
    expect(await useOf(caller)).toMatchObject({ pages: 2, held: 0, images: 2 });
  });

  it.each(
    some(1, [
      ['', scans(4)],
      [' by a document in parts', [...printed(50), ...scans(4)]],
    ]),
  )('that resets is waited for%s', async (_, pages) => {
    const caller = await world.newCaller({ budget_usd: 2.5 * usdPerPage, duration: '1d' });

    const id = await submit(caller, pages);
    await settleDown(caller, id);

    const waiting = await world.read(caller, id);
    expect(waiting).toMatchObject({ status: 'queued', retry_count: 0 });
    expect(waiting.error).toMatch(/^budget_exceeded: .*resets at/);

    pass(24 * hourMs);
    await world.sweep();
    const done = await world.read(caller, id);
    expect(done).toMatchObject({ status: 'done', error: null, retry_count: 0 });
    expect(pagesOf(done.result)).toHaveLength(pages.length);
    expect(await useOf(caller)).toMatchObject({ pages: 4, held: 0, used: 2 * usdPerPage });
  });

  it.each([
    ['', scans(4)],
    [' by a document in parts', [...printed(50), ...scans(4)]],
  ])(
    'that is raised is used within the hour%s, though it resets in a month',
    { tags: 'exhaustive' },
    async (_, pages) => {
      const caller = await world.newCaller({ budget_usd: 2.5 * usdPerPage, duration: '30d' });
      const id = await submit(caller, pages);
      await settleDown(caller, id);

      await changeKey(caller.keyId, { budget_usd: 9 * usdPerPage });
      pass(hourMs);
      await world.sweep();

      const done = await world.read(caller, id);
      expect(done).toMatchObject({ status: 'done', error: null, retry_count: 0 });
      expect(await useOf(caller)).toMatchObject({ pages: 4, held: 0, used: 4 * usdPerPage });
    },
  );
});

it('pages that were forgotten while their document waited are missed, and the others kept', async () => {
  const caller = await world.newCaller({ budget_usd: 1.5 * usdPerPage, duration: '30d' });
  const id = await submit(caller, [...printed(50), ...scans(2)]);
  await settleDown(caller, id);
  for (const page of ['00003', '00009']) {
    const job_id = `step_${id.slice('job_'.length)}#page_${page}`;
    const Key = { key_id: caller.keyId, job_id };
    const read = await getItem(setting('JOBS_TABLE'), Key);
    expect(read).toBeDefined();
    await dynamodb.send(new DeleteCommand({ TableName: setting('JOBS_TABLE'), Key }));
  }

  await changeKey(caller.keyId, { budget_usd: 9 * usdPerPage });
  pass(hourMs);
  await world.sweep();

  const { status, error, result } = await world.read(caller, id);
  expect({ status, error }).toEqual({
    status: 'failed',
    error: expect.stringMatching(/^pages_forgotten: 2 of 52 pages /),
  });
  expect((result as OcrResult).pages).toHaveLength(50);
});

it('pages that a model reads count as no requests', async () => {
  const caller = await world.newCaller({ requests_per_minute: 1, max_concurrent: 1 });

  const id = await submit(caller, scans(4), { model: 'gpt-4.1-mini' });

  const { status, result } = await world.read(caller, id);
  expect({ status, images: (result as OcrResult).images_used }).toEqual({
    status: 'done',
    images: 4,
  });
});

it('a page more costs six requests to the store, and one printed or read before a single one', async () => {
  const caller = await world.newCaller();
  const count = async (pages: SmallPage[]) => {
    const drive = { file_id: await world.add('counted.pdf', await smallPdf(pages)) };
    await world.submit(caller, { job_type: 'ocr', drive });
    await world.dispatch();
    return runCounted('ocr');
  };
  // The first image of the hour begins its window, and the pace of all.
  await count([{ grey: 10 }]);

  const one = await count([{ grey: 20 }]);
  const again = await count([{ grey: 20 }]);
  const three = await count([{ grey: 10 }, { grey: 30 }, { grey: 50 }]);
  const threeAgain = await count([{ grey: 10 }, { grey: 30 }, { grey: 50 }]);
  const printed = await count([{ grey: 10 }, { words: words(2) }, { words: words(3) }]);

  expect(one).toBeLessThanOrEqual(19);
  expect((three - one) / 2).toBeLessThanOrEqual(6);
  expect((printed - one) / 2).toBe(1);
  expect((threeAgain - again) / 2).toBe(1);
});

/** What is held up by the other pages' holds goes on once they are settled. */
async function settleDown(caller: Caller, id: string): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const { status, error } = await world.read(caller, id);
    if (status !== 'queued' && status !== 'processing') return;
    if (error?.includes('resets at')) return;
    pass(60_000);
    await world.sweep();
  }
}

import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { Caller } from '../../../shared/http/caller.ts';
import { isEnd, jobStatuses } from '../../../shared/jobs/engine/item/status.ts';
import { JobListQuery, listJobs } from '../../../shared/jobs/routes/read.ts';
import type { JobList } from '../../../shared/jobs/routes/record.ts';
import { cases } from '../../support/run/cases.ts';
import { requestsOf } from '../../support/worlds/dying.ts';
import { useStore } from '../../support/worlds/store.ts';
import type { StoredJob } from '../../support/worlds/stored-job.ts';

await useStore();

const newCaller = (): Caller => ({ keyId: `key_${randomUUID()}`, limits: '{}' });

/** Writes jobs of a caller in the order given, the oldest first. */
async function seed({ keyId }: Caller, jobs: Partial<StoredJob>[]): Promise<StoredJob[]> {
  const startedAt = Date.now();
  const items = jobs.map((job, i) => {
    const job_id = `job_${uuidv7({ msecs: startedAt + i })}`;
    const { status = 'done' } = job;
    const ended = isEnd(status) && { ended: `${status}#${job.job_id ?? job_id}` };
    return { key_id: keyId, job_id, kind: 'chat', status, ...ended, ...job };
  });
  for (let start = 0; start < items.length; start += 25) {
    const writes = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await dynamodb.send(
      new BatchWriteCommand({ RequestItems: { [setting('JOBS_TABLE')]: writes } }),
    );
  }
  return items as StoredJob[];
}

/** Follows the cursors from the first page to the last. */
async function walk(caller: Caller, query: object): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page = await listJobs(
      caller,
      v.parse(JobListQuery, { ...query, ...(cursor && { cursor }) }),
    );
    pages.push(page.jobs.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);
  return pages;
}

it('any jobs are walked newest first, each that fits the filters once, 50 a page', async () => {
  const status = fc.constantFrom(...jobStatuses);
  const parent = fc.constantFrom(undefined, 'job_a', 'job_b');
  const job = fc
    .record({ status, parent_job_id: parent })
    .map(({ parent_job_id, ...rest }) => ({ ...rest, ...(parent_job_id && { parent_job_id }) }));

  await fc.assert(
    fc.asyncProperty(
      fc.array(job, { maxLength: 160, size: 'max' }),
      fc.option(status, { nil: undefined }),
      parent,
      async (jobs, wantedStatus, wantedParent) => {
        const caller = newCaller();
        const items = await seed(caller, jobs);

        const pages = await walk(caller, { status: wantedStatus, parent_job_id: wantedParent });

        const wanted = items.filter(
          (item) =>
            (!wantedStatus || item.status === wantedStatus) &&
            (!wantedParent || item.parent_job_id === wantedParent),
        );
        expect(pages.flat()).toEqual(wanted.map(({ job_id }) => job_id).reverse());
        expect(pages.slice(0, -1).every(({ length }) => length === 50)).toBe(true);
      },
    ),
    { numRuns: cases(6, 40) },
  );
});

it('a page is full even where jobs are large', async () => {
  const caller = newCaller();
  const result_json = JSON.stringify({ type: 'chat', content: 'x'.repeat(49_000) });
  const items = await seed(
    caller,
    Array.from({ length: 60 }, () => ({ result_json })),
  );

  const pages = await walk(caller, {});

  expect(pages.map(({ length }) => length)).toEqual([50, 10]);
  expect(pages.flat()).toEqual(items.map(({ job_id }) => job_id).reverse());
});

it('a rare job among large others is found', async () => {
  const caller = newCaller();
  const messages_json = 'x'.repeat(100_000);
  const [rare] = await seed(caller, [
    { status: 'failed' },
    ...Array.from({ length: 60 }, () => ({ messages_json })),
  ]);

  const pages = await walk(caller, { status: 'failed' });

  expect(pages.flat()).toEqual([rare?.job_id]);
});

it('the jobs of an end are listed by few reads, however many others are newer', async () => {
  const caller = newCaller();
  const messages_json = 'x'.repeat(12_000);
  const waiting = Array.from({ length: 1_000 }, () => ({
    status: 'queued' as const,
    messages_json,
  }));
  const done = await seed(caller, [...Array(60).fill({}), { status: 'failed' }, ...waiting]);
  let first: JobList | undefined;

  const requests = await requestsOf(async () => {
    first = await listJobs(caller, { status: 'done' });
  });

  const wanted = done.filter(({ status }) => status === 'done').map(({ job_id }) => job_id);
  expect(first?.jobs.map(({ id }) => id)).toEqual(wanted.slice(-50).reverse());
  expect(requests).toBe(3);
  expect((await walk(caller, { status: 'done' })).flat()).toEqual(wanted.reverse());
  expect((await walk(caller, { status: 'cancelled' })).flat()).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeJob, tabulateJobs } from '../../../lib/cli/jobs/jobs-text.ts';
import { instant } from '../../../shared/jobs/engine/item/job.ts';
import { newestJobs } from '../../../shared/jobs/operators/find-jobs.ts';
import { jobSheet } from '../../../shared/jobs/operators/job-sheet.ts';
import { putManyJobs } from '../../support/worlds/operators-world.ts';
import { useStore } from '../../support/worlds/store.ts';
import type { StoredJob } from '../../support/worlds/stored-job.ts';

await useStore();

const batch: Partial<StoredJob> = {
  ...{ kind: 'batch', input_type: 'file', endpoint: '/v1/chat/completions', file_id: 'file-1' },
  ...{ window_ends_at: '2026-11-25T12:00:00.000Z', in_progress_at: '2026-11-24T12:00:00.000Z' },
  ...{ filename: 'requests.jsonl', model: 'gpt-5-mini' },
};

const reading: Partial<StoredJob> = { kind: 'document', phase: 'reading' };

/** Puts jobs; returns them as a list has them, the oldest first. */
async function listed(...jobs: Partial<StoredJob>[]) {
  const key = `key_${randomUUID()}`;
  await putManyJobs(key, jobs);
  const found = await newestJobs([key], {}, 10);
  return found.reverse().map((job) => jobSheet(job, 'shop'));
}

/** The cells of each row under a list's heading, by the names there. */
function rowsOf(table: string): Record<string, string>[] {
  const [heading = [], ...rows] = table.split('\n').map((line) => line.split(/ {2,}/));
  return rows.map((row) => Object.fromEntries(heading.map((name, at) => [name, row[at] ?? ''])));
}

it('a list tells how far jobs have come, and batches by lines, after their end too', async () => {
  const progress = { done: 410, total: 2000, failed: 3, unit: 'lines' } as const;
  const completed_at = instant(Date.now());
  const sheets = await listed(
    { ...batch, status: 'processing', progress },
    { ...batch, status: 'done', completed_at, progress: { ...progress, done: 1997 } },
    { ...batch, status: 'queued' },
    { ...reading, status: 'processing', job_type: 'ocr', page_count: 12, pages_done: 5 },
    { status: 'done', completed_at },
  );

  const rows = rowsOf(tabulateJobs(sheets, false));

  expect(rows.map(({ type, status, progress }) => [type, status, progress])).toEqual([
    ['batch', 'processing', '410 of 2000 lines, 3 failed'],
    ['batch', 'done', '1997 of 2000 lines, 3 failed'],
    ['batch', 'queued', '-'],
    ['ocr', 'processing', '5 of 12 pages'],
    ['chat', 'done', '-'],
  ]);
});

it('show tells a batch’s window, lines, files and the first ten errors of lines', async () => {
  const [sheet] = await listed({
    ...{ ...batch, status: 'done', completed_at: '2026-11-24T13:00:00.000Z' },
    ...{ progress: { done: 18, total: 20, failed: 2, unit: 'lines' } },
    ...{ output_file_id: 'file-out', error_file_id: 'file-err' },
  });
  const errors = Array.from({ length: 12 }, (_, at) => ({
    ...{ code: 'invalid\u001b[2J', message: 'not so', param: 'body.model', line: at + 1 },
  }));
  if (!sheet?.batch) throw new Error('no batch');

  const text = describeJob({
    ...sheet,
    batch: { ...sheet.batch, errors: { object: 'list', data: errors } },
  });

  const fields = Object.fromEntries(text.split('\n').map((line) => line.split(/ {2,}/)));
  expect(fields).toMatchObject({
    ...{ status: 'done', stands: 'completed', expires: '2026-11-25 12:00 UTC' },
    ...{ lines: '20: 18 answered, 2 failed', answers: 'file-out', errors: 'file-err' },
    ...{ 'line 10': 'invalid [2J (body.model): not so', '': 'and 2 more' },
  });
  expect(text).not.toMatch(/^(progress|line 11) /m);
});

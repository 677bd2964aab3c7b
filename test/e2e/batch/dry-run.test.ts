import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobEstimate } from '../../../shared/jobs/routes/estimate.ts';
import type { JobList } from '../../../shared/jobs/routes/record.ts';
import { shared } from '../../support/run/shared.ts';
import { call, chatJob } from '../../support/servers/api.ts';
import { newCaller } from '../../support/servers/new-caller.ts';

const stage = await shared('stage');
const folder = join(stage.dataDir, 'drive', 'dry-run');
const caller = await newCaller(stage, { drive_folders: ['local-drive'] });

const dryRun = (body: object, target = caller) =>
  call<JobEstimate & { detail: unknown }>(target, 'POST', '/batch/jobs', {
    ...body,
    dry_run: true,
  });

it('a dry run of the drive answers 200 with an estimate, and makes no job', async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'one.txt'), 'One.');
  const drive = { folder_id: 'local-drive', recursive: true };

  const { status, body } = await dryRun({ job_type: 'auto', drive });

  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ dry_run: true, is_complete: true });
  expect(body.files.pending).toBeGreaterThan(0);
  expect(body.subfolders.listed).toBeGreaterThan(0);
  const { body: list } = await call<JobList>(caller, 'GET', '/batch/jobs');
  expect(list.jobs).toEqual([]);
});

it('a dry run of messages says what the answer would cost, and holds nothing', async () => {
  const { status, body } = await dryRun(chatJob('Hi'));

  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.likely_cost_usd).toBeGreaterThan(0);
  expect(body.likely_cost_usd).toBeLessThan(body.max_cost_usd);
  const { body: limits } = await call(caller, 'GET', '/user/limits');
  expect(limits).toMatchObject({ budget: { used_usd: 0, held_usd: 0 } });
});

it('a dry run takes what a submission takes: a file of another key is a 422', async () => {
  const { status, body } = await dryRun({ job_type: 'ocr', file_id: 'file-7' });

  expect(status).toBe(422);
  expect(body.detail).toMatchObject([{ loc: ['body', 'file_id'], type: 'value_error' }]);
});

it('a dry run of an unknown folder is a 404', async () => {
  const unknown = await dryRun({ job_type: 'auto', drive: { folder_id: 'unknown' } });

  expect(unknown.status).toBe(404);
  expect(unknown.body).toEqual({
    detail: "No such file or folder under this key's Drive folders.",
  });
});

it('recursive without a folder is a 422', async () => {
  const drive = { file_id: 'x', recursive: true };

  const { status, body } = await call(caller, 'POST', '/batch/jobs', { job_type: 'auto', drive });

  expect(status).toBe(422);
  expect(body).toMatchObject({ detail: [{ loc: ['body', 'drive', 'recursive'] }] });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobsCommands } from '../../../lib/cli/jobs/commands.ts';
import { childIdOf, type Job } from '../../../shared/jobs/engine/item/job.ts';
import { claimJob } from '../../../shared/jobs/engine/item/job-lease.ts';
import { retryJob } from '../../../shared/jobs/engine/item/job-retry.ts';
import type { JobSheet } from '../../../shared/jobs/operators/job-sheet.ts';
import { type ApiKey, issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits } from '../../../shared/keys/key-limits.ts';
import { startCloudFormationStub } from '../../keys/cloudformation-stub.ts';
import { shared } from '../../support/run/shared.ts';
import { runCommand } from '../../support/servers/command.ts';
import { itemOf, keyed, submittedBy } from '../../support/worlds/jobs.ts';
import { outputsHere, putManyJobs, writeStageOf } from '../../support/worlds/operators-world.ts';
import { useStore } from '../../support/worlds/store.ts';

await useStore({ queues: true });
const dataDir = mkdtempSync(join(tmpdir(), 'quire-operators-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
beforeAll(() => writeStageOf(dataDir));

const jobs = (...args: string[]) => runCommand('jobs', dataDir, [...args, '--data', dataDir]);

async function answer<Answer>(...args: string[]): Promise<Answer> {
  const { stdout, stderr } = await jobs(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Answer;
}

let keyNumber = 0;

/** A key with a name of its own and some queued jobs. */
async function keyWith(count: number, rest: object = {}): Promise<{ key: ApiKey; of: Job[] }> {
  const key = await issueKey(`shop-${++keyNumber}`, defaultLimits);
  const of: Job[] = [];
  for (let index = 0; index < count; index++) of.push(await submittedBy(keyed(key.id), rest));
  return { key, of };
}

/** Has a queued job fail. */
async function fail(job: Job, error = 'rate_limit_exceeded: busy\u001b[2J'): Promise<void> {
  const claim = await claimJob(job);
  if (claim) await retryJob({ ...claim, retry_count: claim.max_retries }, error, 0);
}

describe.concurrent('list and show', () => {
  it('tell by the name of a key what failed and why, with nothing that steers a terminal', {
    tags: 'exhaustive',
  }, async () => {
    const { key, of } = await keyWith(3);
    await fail(of[1] as Job);

    const { stdout } = await jobs('list', '--key', key.name, '--status', 'failed', '--since', '1h');
    const { jobs: listed } = await answer<{ jobs: JobSheet[] }>('list', '--key', key.id);

    const [heading = '', row = '', ...rest] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(
      /^id +submitted +key +status +progress +type +priority +retries +about +warnings +error$/,
    );
    expect(row).toContain(of[1]?.job_id);
    expect(row).toContain('rate_limit_exceeded: busy [2J');
    expect(rest).toEqual([]);
    expect(listed.map(({ id, status }) => [id, status])).toEqual([
      [of[2]?.job_id, 'queued'],
      [of[1]?.job_id, 'failed'],
      [of[0]?.job_id, 'queued'],
    ]);
  });

  it('say that there are more', { tags: 'exhaustive' }, async () => {
    const { key } = await keyWith(3);

    const { jobs: listed, more } = await answer<{ jobs: JobSheet[]; more: boolean }>(
      ...['list', '--key', key.id, '--limit', '2'],
    );

    expect(listed).toHaveLength(2);
    expect(more).toBe(true);
  });

  it('show a job by its id alone, and nothing of what was asked', {
    tags: 'exhaustive',
  }, async () => {
    const { key, of } = await keyWith(1, {
      inline: { messages: [{ role: 'user', content: 'a secret question' }] },
    });
    const [job] = of as [Job];

    const sheet = await answer<JobSheet>('show', job.job_id);
    const { stdout } = await jobs('show', job.job_id);

    expect(sheet).toMatchObject({ id: job.job_id, key_id: key.id, key_name: key.name });
    expect(stdout).toMatch(/^status +queued$/m);
    expect(JSON.stringify(sheet) + stdout).not.toContain('secret question');
  });
});

describe.concurrent('cancel, stop and retry', () => {
  it('do it to one job', { tags: 'exhaustive' }, async () => {
    const { of } = await keyWith(2);
    const [first, second] = of as [Job, Job];

    const cancelled = await answer<JobSheet>('cancel', first.job_id);
    const retried = await answer<JobSheet>('retry', first.job_id);
    const stopped = await answer<JobSheet>('stop', second.job_id);

    expect(cancelled).toMatchObject({ id: first.job_id, status: 'cancelled' });
    expect(retried).toMatchObject({ retry_of: first.job_id, status: 'queued' });
    expect(stopped).toMatchObject({
      status: 'cancelled',
      error: 'stopped: The job was stopped by an operator.',
    });
  });

  it('ask about more than one, and do nothing until they are answered', {
    tags: 'exhaustive',
  }, async () => {
    const { key, of } = await keyWith(3);
    await claimJob(of[0] as Job);

    const asked = await jobs('cancel', '--key', key.name);
    const before = await itemOf(of[1] as Job);
    const done = await jobs('cancel', '--key', key.name, '--yes');

    expect(asked).toEqual({
      code: 1,
      stdout: '',
      stderr: 'To cancel: 2 jobs of one key. Add --yes if you mean it.\n',
    });
    expect(before.status).toBe('queued');
    expect(done).toEqual({ code: 0, stdout: 'Cancelled: 2 jobs.\n', stderr: '' });
    expect(await itemOf(of[1] as Job)).toMatchObject({ status: 'cancelled' });
    expect(await itemOf(of[0] as Job)).toMatchObject({ status: 'processing' });
  });

  it('try again what failed for a reason, once', { tags: 'exhaustive' }, async () => {
    const { key, of } = await keyWith(3);
    await fail(of[0] as Job);
    await fail(of[1] as Job);
    await fail(of[2] as Job, 'not_found: There is no such file.');
    const filter = ['--key', key.id, '--error', 'rate_limit', '--yes'];

    const first = await answer<{ jobs: { id: string; retry_job_id: string }[] }>(
      'retry',
      ...filter,
    );
    const second = await jobs('retry', ...filter);

    expect(first).toMatchObject({ action: 'retry', matched: 2, left_out: 0 });
    expect(first.jobs.map(({ id }) => id).sort()).toEqual([of[0]?.job_id, of[1]?.job_id]);
    for (const { id, retry_job_id } of first.jobs) {
      expect(await itemOf({ key_id: key.id, job_id: retry_job_id })).toMatchObject({
        retry_of: id,
        status: 'queued',
      });
    }
    expect(second.stdout).toBe('There are no such jobs.\n');
  });
});

/** A key with a folder of one file. */
async function folderWithFile(status: Job['status'], fileStatus: Job['status']) {
  const { key } = await keyWith(0);
  const [folder] = await putManyJobs(key.id, [
    { input_type: 'drive_folder', lane: 'folder#0', status },
  ]);
  const folderId = folder?.job_id ?? '';
  const file = { job_id: childIdOf(folderId, 'a'), parent_job_id: folderId, status: fileStatus };
  await putManyJobs(key.id, [{ ...file, input_type: 'drive_file' }]);
  return { key, folderId };
}

it('delete asks about one job too, which nobody finds then', { tags: 'exhaustive' }, async () => {
  const { of } = await keyWith(2);
  const [job, other] = of as [Job, Job];
  await fail(job);

  const asked = await jobs('delete', job.job_id);
  const done = await jobs('delete', job.job_id, '--yes');
  const again = await jobs('delete', job.job_id, '--yes');
  const queued = await jobs('delete', other.job_id, '--yes');

  expect(asked).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`To delete: ${job.job_id}.`),
  });
  expect(done).toEqual({ code: 0, stdout: `Deleted: ${job.job_id}.\n`, stderr: '' });
  expect(again.code).toBe(1);
  expect(queued.stderr).toContain('Only a job that has ended can be deleted; this one is queued.');
  await expect(itemOf(job)).rejects.toThrow('no job');
});

it('a failed file of a folder that was stopped is left to that folder, which is named', async () => {
  const { key, folderId } = await folderWithFile('cancelled', 'failed');

  const { stdout } = await jobs('retry', '--key', key.id);

  expect(stdout).toBe(
    `Tried again: 0 jobs.\nLeft out, as parts of others: 1 job. Instead, retry the others: ${folderId}.\n`,
  );
});

it('the files of a folder that is stopped are stopped with it, and none is left to do', async () => {
  const { key } = await folderWithFile('queued', 'queued');

  const { stdout } = await jobs('stop', '--key', key.id);

  expect(stdout).toBe('Stopped: 1 job.\nAs parts of these: 1 job.\n');
});

describe.concurrent('queue and redrive', () => {
  it('tell what waits, and send messages for it', { tags: 'exhaustive' }, async () => {
    const { key } = await keyWith(2, { priority: 9 });

    const { stdout, stderr } = await jobs('queue');
    const redriven = await jobs('redrive');

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^lane +ready +later +running +oldest +ended a minute +messages/m);
    expect(stdout).toMatch(new RegExp(`^chat +9 +${key.id} +${key.name} +2 +0 +\\d+ s$`, 'm'));
    expect(redriven.stdout).toMatch(/^chat +\d+ +\d+ +\d+$/m);
    expect(redriven.stderr).toMatch(/^(looking at .*\n)+$/);
  });

  it('work on a running stage, whose outputs name all they need', {
    tags: 'exhaustive',
  }, async () => {
    const stage = await shared('stage');

    const { code, stdout } = await runCommand('jobs', dataDir, [
      ...['queue', '--json', '--data', stage.dataDir],
    ]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      lanes: [{ lane: 'chat' }, { lane: 'ocr' }, { lane: 'folder' }],
    });
  });
});

describe.concurrent('refuses in one sentence', () => {
  const unknown = 'job_01980000-0000-7000-8000-000000000000';

  it.each([
    [['show'], "show takes a job's id, job_…, as npm run jobs -- list shows them."],
    [['show', unknown], `There is no job ${unknown}.`],
    [
      ['cancel'],
      "cancel takes a job's id, or says which jobs by --key, --status, --error or --since.",
    ],
    [['stop', unknown, '--error', 'x'], "stop takes a job's id or filters, not both."],
    [['retry', '--status', 'done'], 'retry is for jobs that are failed or cancelled, not done.'],
    [
      ['list', '--status', 'lost'],
      '--status takes some of queued, processing, done, failed, cancelled, separated by commas, not "lost".',
    ],
    [
      ['list', '--since', 'yesterday'],
      '--since takes a number and s, m, h, d, w or mo, as in 24h or 7d, not "yesterday".',
    ],
    [['list', '--limit', '0'], '--limit takes a whole number from 1 to 10000, not "0".'],
    [
      ['list', '--key', `sk-${'a'.repeat(43)}`],
      '--key takes the id or the name of a key, as npm run keys -- list shows.',
    ],
  ])('%j', async (args, sentence) => {
    expect(await jobs(...args)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });
});

it('each command says how it is called', async () => {
  for (const [name, { summary, options = [] }] of Object.entries(jobsCommands.commands)) {
    const { code, stdout } = await jobs(name, '--help');

    expect(code).toBe(0);
    expect(stdout.startsWith(summary)).toBe(true);
    for (const option of options) expect(stdout).toContain(`--${option}`);
  }
});

describe('a deployed stack', () => {
  it('is reached by what its outputs name', async () => {
    const { key, of } = await keyWith(1);
    const stub = await startCloudFormationStub({ 'quire-test': outputsHere() });

    const { stdout } = await runCommand(
      'jobs',
      dataDir,
      ['cancel', '--key', key.id, '--json', '--stack', 'quire-test'],
      {
        AWS_ENDPOINT_URL_CLOUDFORMATION: stub.url,
        AWS_ENDPOINT_URL_DYNAMODB: process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
      },
    );
    stub.close();

    expect(JSON.parse(stdout)).toMatchObject({
      matched: 1,
      jobs: [{ id: of[0]?.job_id, status: 'cancelled' }],
    });
  });
});

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { fetchSource } from '../../shared/jobs/files/source.ts';
import { withFile } from '../../shared/jobs/files/source-file.ts';
import type { ClaimedJob, Job } from '../../shared/jobs/job.ts';
import { newJob } from '../../shared/jobs/new-job.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { refusal, useScriptedDrive } from '../drive/scripted-drive.ts';
import { putJobs } from '../support/worlds/put-jobs.ts';
import { useStore } from '../support/worlds/store.ts';

const folder = 'application/vnd.google-apps.folder';
const items: Record<string, Record<string, unknown>> = {
  'in-two': { parents: ['theirs', 'allowed'] },
  'in-three': { parents: ['theirs', 'allowed', 'below'] },
  'in-drive': { parents: ['hidden'], driveId: 'the-drive' },
  alone: { parents: ['theirs'] },
  allowed: { mimeType: folder },
  below: { mimeType: folder, parents: ['allowed'] },
  theirs: { mimeType: folder },
};

const drive = await useScriptedDrive((app) => {
  app.get<{ Params: { id: string }; Querystring: { alt?: string } }>(
    '/drive/v3/files/:id',
    ({ params: { id }, query: { alt } }, reply) => {
      if (!items[id]) return reply.code(404).send(refusal(404, 'notFound'));
      if (alt === 'media') return reply.type('text/plain').send(`the text of ${id}`);
      return reply.send({ id, name: `${id}.txt`, mimeType: 'text/plain', ...items[id] });
    },
  );
});
await useStore({ queues: true, serviceAccount: drive.serviceAccount });
let keyId = '';

beforeAll(async () => {
  process.env['GOOGLE_DRIVE_URL'] = drive.url;
  const drive_folders = ['allowed', 'the-drive', 'alone'];
  keyId = (await issueKey('test', { ...defaultLimits, drive_folders })).id;
});

async function claimedJob(drive_file_id: string, rest: Partial<Job> = {}): Promise<ClaimedJob> {
  const given = { key_id: keyId, job_type: 'chat', model: 'gpt-4.1-mini', priority: 0 } as const;
  const job = {
    ...newJob({
      ...given,
      job_id: `job_${randomUUID()}`,
      input_type: 'drive_file',
      max_retries: 0,
    }),
    ...{ status: 'processing', lease_id: randomUUID(), lease_until: '2100', drive_file_id },
    ...rest,
  } as ClaimedJob;
  await putJobs(keyId, [{ ...job, created: 0 }]);
  return job;
}

const fetched = async (job: ClaimedJob) => fetchSource(job, new AbortController().signal);

describe('a result goes', () => {
  it.each([
    ['to the folder through which the file may be read', 'in-two', undefined, 'allowed'],
    ['to the folder that its job was made for', 'in-three', 'below', 'below'],
    ['to a folder of the shared drive that is allowed', 'in-drive', undefined, 'hidden'],
    ['nowhere where only the file itself is allowed', 'alone', undefined, undefined],
  ])('%s', async (_, file, madeFor, expected) => {
    const job = await claimedJob(file, madeFor ? { drive_folder_id: madeFor } : {});

    expect((await fetched(job)).drive_folder_id).toBe(expected);
  });
});

it('each attempt at a job has a copy of its own, which no late one replaces', async () => {
  const job = await claimedJob('in-two');
  const late = { ...job, lease_id: randomUUID() };

  const { source_object } = await fetched(job);
  await expect(fetched(late)).rejects.toThrow('lease was lost');

  expect(source_object).toBe(`${keyId}/${job.job_id}/source-${job.lease_id}`);
  const text = await withFile(source_object, (path) => readFile(path, 'utf8'));
  expect(text).toBe('the text of in-two');
});

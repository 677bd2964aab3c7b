import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Claimed } from '../../../shared/jobs/engine/item/job.ts';
import { newJob } from '../../../shared/jobs/engine/item/new-job.ts';
import { chatKind } from '../../../shared/jobs/kinds/chat/chat-job.ts';
import { fetchSource } from '../../../shared/jobs/sources/source.ts';
import { withFile } from '../../../shared/jobs/sources/source-file.ts';
import type { Sourced, SourceJob } from '../../../shared/jobs/sources/source-job.ts';
import { issueKey } from '../../../shared/keys/key.ts';
import { defaultLimits } from '../../../shared/keys/key-limits.ts';
import { refusal, useScriptedDrive } from '../../drive/scripted-drive.ts';
import { putJobs } from '../../support/worlds/put-jobs.ts';
import { useStore } from '../../support/worlds/store.ts';

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

/** The contents of files that have one of their own, and what was downloaded. */
const contents: Record<string, string> = {};
const downloads: string[] = [];

const drive = await useScriptedDrive((app) => {
  app.get<{ Params: { id: string }; Querystring: { alt?: string } }>(
    '/drive/v3/files/:id',
    ({ params: { id }, query: { alt } }, reply) => {
      if (!items[id]) return reply.code(404).send(refusal(404, 'notFound'));
      if (alt === 'media') {
        downloads.push(id);
        return reply.type('text/plain').send(contents[id] ?? `the text of ${id}`);
      }
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

async function claimedJob(
  drive_file_id: string,
  rest: Partial<SourceJob> = {},
): Promise<Claimed<SourceJob>> {
  const given = { key_id: keyId, job_type: 'chat', model: 'gpt-4.1-mini', priority: 0 } as const;
  const job = {
    ...newJob(chatKind, {
      ...given,
      job_id: `job_${randomUUID()}`,
      input_type: 'drive_file',
      max_retries: 0,
    }),
    ...{ status: 'processing', lease_id: randomUUID(), lease_until: '2100', drive_file_id },
    ...rest,
  } as Claimed<SourceJob>;
  await putJobs(job.key_id, [{ ...job, created: 0 }]);
  return job;
}

const fetched = async (job: Claimed<SourceJob>) => fetchSource(job, new AbortController().signal);

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

describe('the same content', () => {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const textOf = ({ source_object }: Sourced) =>
    withFile(source_object, (path) => readFile(path, 'utf8'));

  /** Puts a file on the drive; the drive may be wrong about its content. */
  function putFile(id: string, content: string, said = content): void {
    items[id] = { ...items[id], parents: ['allowed'], md5Checksum: md5(said) };
    contents[id] = content;
  }

  it('is copied once for many jobs', async () => {
    putFile('often', 'a text');

    const jobs = [];
    for (let n = 0; n < 3; n++) jobs.push(await fetched(await claimedJob('often')));

    expect(new Set(jobs.map(({ source_object }) => source_object)).size).toBe(1);
    expect(await Promise.all(jobs.map(textOf))).toEqual(['a text', 'a text', 'a text']);
    expect(downloads.filter((id) => id === 'often')).toEqual(['often']);
  });

  it('is copied anew once it has changed, or has another name', async () => {
    putFile('changing', 'before');
    const before = await fetched(await claimedJob('changing'));
    putFile('changing', 'after');
    const after = await fetched(await claimedJob('changing'));
    items['changing'] = { ...items['changing'], name: 'renamed.txt' };
    const renamed = await fetched(await claimedJob('changing'));

    expect(await Promise.all([before, after, renamed].map(textOf))).toEqual([
      'before',
      'after',
      'after',
    ]);
    expect(renamed.filename).toBe('renamed.txt');
  });

  it('is copied anew after a week, before its object may expire', async () => {
    putFile('old', 'a text');
    const first = await fetched(await claimedJob('old'));
    vi.setSystemTime(Date.now() + 8 * 86_400_000);

    const later = await fetched(await claimedJob('old'));

    vi.useRealTimers();
    expect(later.source_object).not.toBe(first.source_object);
  });

  it('is not what came while the file was changed', async () => {
    putFile('moving', 'newer', 'older');
    const moved = await fetched(await claimedJob('moving'));
    putFile('moving', 'older');

    const back = await fetched(await claimedJob('moving'));

    expect(await Promise.all([moved, back].map(textOf))).toEqual(['newer', 'older']);
  });

  it('is copied for each key', async () => {
    putFile('both', 'a text');
    const mine = await fetched(await claimedJob('both'));
    const { id } = await issueKey('other', { ...defaultLimits, drive_folders: ['allowed'] });

    const theirs = await fetched(await claimedJob('both', { key_id: id }));

    expect(theirs.source_object).toBe(`${id}/${theirs.job_id}/source-${theirs.lease_id}`);
    expect(mine.source_object).not.toBe(theirs.source_object);
  });
});

it('each attempt at a job has a copy of its own, which no late one replaces', async () => {
  items['own'] = { parents: ['allowed'] };
  const job = await claimedJob('own');
  const late = { ...job, lease_id: randomUUID() };

  const { source_object } = await fetched(job);
  await expect(fetched(late)).rejects.toThrow('lease was lost');

  expect(source_object).toBe(`${keyId}/${job.job_id}/source-${job.lease_id}`);
  const text = await withFile(source_object, (path) => readFile(path, 'utf8'));
  expect(text).toBe('the text of own');
});

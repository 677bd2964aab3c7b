import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChildren } from '../../../../shared/jobs/engine/children/children.ts';
import { whileThere } from '../../../../shared/jobs/engine/item/conditions.ts';
import {
  type ClaimedJob,
  childIdOf,
  familyOf,
  type Job,
} from '../../../../shared/jobs/engine/item/job.ts';
import { failJob } from '../../../../shared/jobs/engine/item/job-end.ts';
import { claimJob, LeaseLostError } from '../../../../shared/jobs/engine/item/job-lease.ts';
import { updateJob } from '../../../../shared/jobs/engine/item/job-update.ts';
import { suspendJob } from '../../../../shared/jobs/engine/item/job-wait.ts';
import { newJob } from '../../../../shared/jobs/engine/item/new-job.ts';
import { chatKind } from '../../../../shared/jobs/kinds/chat/chat-job.ts';
import { runFolderJob } from '../../../../shared/jobs/kinds/folder-queue.ts';
import { sectionIdOf } from '../../../../shared/jobs/kinds/section/section-job.ts';
import { completionOf } from '../../../../shared/jobs/results/keep-result.ts';
import type { FolderResult } from '../../../../shared/jobs/results/result.ts';
import { getJob, listJobs } from '../../../../shared/jobs/routes/read.ts';
import { countEnded } from '../../../../shared/jobs/work/count-ended.ts';
import { runLeased } from '../../../../shared/jobs/work/run-leased.ts';
import { jobIdFormat } from '../../../support/fixtures/job-fields.ts';
import { answer, caller, itemOf, submitted } from '../../../support/worlds/jobs.ts';
import { useStore } from '../../../support/worlds/store.ts';

await useStore({ queues: true });

async function claimed(job: Job): Promise<ClaimedJob> {
  const claim = await claimJob(job);
  if (!claim) throw new Error(`${job.job_id} is not ready`);
  return claim;
}

/** A folder's job that is being worked on. */
async function claimedFolder(): Promise<ClaimedJob> {
  const job = await submitted();
  const set = { kind: 'folder', phase: 'listing' };
  await updateJob(job, { when: whileThere, set });
  return claimed(job);
}

/** A folder's job that is being worked on, and so many to be made for it. */
async function newFamily(size: number) {
  const parent = await claimedFolder();
  const children = Array.from({ length: size }, (_, index) => childOf(parent, `file ${index}`));
  return { parent, children };
}

function childOf({ key_id, job_id: parent_job_id }: Job, name: string): { job: Job } {
  const job_id = childIdOf(parent_job_id, name);
  const rest = { priority: 10, max_retries: 3, filename: name, drive_file_id: `id of ${name}` };
  return {
    job: newJob(chatKind, {
      key_id,
      job_id,
      parent_job_id,
      job_type: 'chat',
      model: 'gpt-5-mini',
      input_type: 'drive_file',
      ...rest,
    }),
  };
}

async function ended({ job }: { job: Job }, error?: string): Promise<Job> {
  const claim = await claimed(job);
  const end = await (error === undefined ? completionOf(claim, answer)() : failJob(claim, error));
  if (!end) throw new Error(`${job.job_id} was lost`);
  return end;
}

describe('the id of a child', () => {
  it('is the same for the same parent and name, and a job id like any other', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.string(), (uuid, name) => {
        const parentId = `job_${uuid}`;

        const id = childIdOf(parentId, name);

        expect(id).toBe(childIdOf(parentId, name));
        expect(id).toMatch(jobIdFormat);
        expect(familyOf(id)).toBe(familyOf(parentId));
      }),
    );
  });

  it('is no other parent’s nor name’s', () => {
    const parent = fc.uuid({ version: 7 }).map((uuid) => `job_${uuid}`);
    const names = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(parent, parent, names, (one, other, each) => {
        fc.pre(one !== other);
        const ids = [one, other].flatMap((id) => each.map((name) => childIdOf(id, name)));

        expect(new Set([...ids, one, other]).size).toBe(ids.length + 2);
      }),
    );
  });

  it('of a part is in the order of its pages', () => {
    const pages = [1, 51, 951, 1001, 10_001];

    const ids = pages.map((page) => sectionIdOf('job_0', page));

    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('children', () => {
  it('that are made twice are there once, and counted once', async () => {
    const { parent, children } = await newFamily(40);

    await createChildren(parent, children.slice(0, 10));
    const first = await createChildren(parent, children, { files_found: 40 });
    const second = await createChildren(parent, children, { files_found: 40 });

    expect(first).toMatchObject({ children_total: 40, children_ended: 0, files_found: 40 });
    expect(second).toMatchObject({ children_total: 40, children_ended: 0 });
    for (const { job } of children) expect(await itemOf(job)).toEqual(job);
  });

  it('are not made by who has lost the lease', async () => {
    const { parent, children } = await newFamily(2);

    const making = createChildren({ ...parent, lease_id: 'lost' }, children);

    await expect(making).rejects.toThrow(LeaseLostError);
    expect(await itemOf(parent)).not.toHaveProperty('children_total');
    await expect(itemOf(children[0]?.job as Job)).rejects.toThrow('no job');
  });

  it('that have ended are counted once, however often that is told', async () => {
    const { parent, children } = await newFamily(3);
    await createChildren(parent, children);
    const [one, two] = [
      await ended(children[0] as { job: Job }),
      await ended(children[1] as { job: Job }, 'bad: Broken.'),
    ];

    await countEnded([one, two, one]);
    await countEnded([two]);
    await Promise.all([countEnded([one, two]), countEnded([two, one])]);

    expect(await itemOf(parent)).toMatchObject({
      children_total: 3,
      children_ended: 2,
      children_failed: 1,
      children_cancelled: 0,
      failed_files: [{ job_id: two.job_id, filename: 'file 1', error: 'bad: Broken.' }],
    });
  });

  it('that failed are named by the beginning of their names, however long these are', async () => {
    const parent = await claimedFolder();
    const children = Array.from({ length: 100 }, (_, index) => {
      const { job } = childOf(parent, `file ${index}`);
      return { job: { ...job, filename: 'long '.repeat(1_200) } };
    });
    await createChildren(parent, children);

    await countEnded(await Promise.all(children.map((child) => ended(child, 'bad: Broken.'))));

    const { children_ended, failed_files = [] } = await itemOf(parent);
    expect({ children_ended, named: failed_files.length }).toEqual({
      children_ended: 100,
      named: 100,
    });
    for (const { filename } of failed_files) expect(filename).toHaveLength(200);
  });

  it('that can’t be counted keep no other parent’s from being counted', async () => {
    const [lost, other] = [await newFamily(1), await newFamily(1)];
    await createChildren(other.parent, other.children);
    const [end] = [await ended(other.children[0] as { job: Job })];
    // No table takes a key of 3,000 characters.
    const strange = { ...(lost.children[0] as { job: Job }).job, parent_job_id: 'x'.repeat(3_000) };

    await expect(countEnded([strange, end])).rejects.toThrow();

    expect(await itemOf(other.parent)).toMatchObject({ children_ended: 1 });
  });

  it('that end at the same time are all counted, and named where they failed', async () => {
    const { parent, children } = await newFamily(12);
    await createChildren(parent, children);
    const ends = await Promise.all(
      children.map((child, at) => ended(child, at % 2 ? 'bad: No.' : undefined)),
    );

    await Promise.all(ends.map((end) => countEnded([end])));

    const { failed_files = [], ...counts } = await itemOf(parent);
    expect(counts).toMatchObject({ children_ended: 12, children_failed: 6 });
    expect(failed_files.map(({ filename }) => filename).toSorted()).toEqual(
      [1, 3, 5, 7, 9, 11].map((at) => `file ${at}`).toSorted(),
    );
  });

  it('wake their parent with the last of them, if it waits', async () => {
    const { parent, children } = await newFamily(2);
    await createChildren(parent, children);
    const [one, two] = await Promise.all(children.map((child) => ended(child)));

    await countEnded([one as Job]);
    await suspendJob(parent);
    expect(await itemOf(parent)).toMatchObject({ status: 'processing' });
    await countEnded([two as Job]);

    expect(await itemOf(parent)).toMatchObject({ status: 'queued', retry_count: 0 });
  });

  it('that ended before their parent waits let it go on at once', async () => {
    const { parent, children } = await newFamily(1);
    await createChildren(parent, children);
    await countEnded([await ended(children[0] as { job: Job })]);

    await suspendJob(parent);

    expect(await itemOf(parent)).toMatchObject({ status: 'queued' });
  });

  it('of a parent that the table has forgotten are let be', async () => {
    const { children } = await newFamily(1);
    const [orphan] = children as [{ job: Job }];
    orphan.job.parent_job_id = 'job_forgotten';

    await expect(countEnded([orphan.job])).resolves.toBeUndefined();
  });
});

it('a folder of nothing but failures with long errors still says which they are', {
  tags: 'exhaustive',
}, async () => {
  const { parent, children } = await newFamily(120);
  const listed = { page_token: '', files_found: 120, phase: 'files' };
  await createChildren(parent, children, listed);
  const error = `provider: ${'ü'.repeat(1_990)}`;
  const ends = await Promise.all(children.map((child) => ended(child, error)));
  await countEnded(ends);

  await runLeased((await itemOf(parent)) as ClaimedJob, runFolderJob, new AbortController().signal);

  const { status, result } = await getJob(caller, parent.job_id);
  const { files, failed_files } = result as FolderResult;
  expect(status).toBe('done');
  expect(files).toMatchObject({ found: 120, failed: 120, skipped: 0 });
  expect(failed_files).toHaveLength(100);
  for (const { error } of failed_files) expect(error).toMatch(/^provider: ü{100}/);
  const { jobs } = await listJobs(caller, { status: 'done' });
  const [folder] = jobs.filter(({ id }) => id === parent.job_id);
  expect(folder?.result).toMatchObject({ files });
  expect(JSON.stringify(folder).length).toBeLessThan(50_000);
});

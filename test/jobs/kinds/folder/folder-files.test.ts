import { expect, it } from 'vitest';
import { leaseMs } from '../../../../shared/jobs/engine/item/job.ts';
import {
  folderToList,
  isExpanded,
  nextPosition,
} from '../../../../shared/jobs/kinds/folder/folder-files.ts';
import type { FolderJob } from '../../../../shared/jobs/kinds/folder/folder-job.ts';
import type { FolderResult } from '../../../../shared/jobs/results/result.ts';
import { listJobs } from '../../../../shared/jobs/routes/read.ts';
import { retryCallersJob } from '../../../../shared/jobs/routes/retry.ts';
import { some } from '../../../support/run/cases.ts';
import { pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { runCounted, runKilled, upTo } from '../../../support/worlds/killed-workers.ts';

const world = await useDocumentWorld();

useFreshHour();

const ids = (...names: string[]) => names.map((id) => ({ id }));

/** Lists a made-up tree as a job does, a page of each folder at a time; answers the folders in their order. */
function listed(tree: Record<string, string[]>, job: Partial<FolderJob>): string[] {
  const order: string[] = [];
  let place = { drive_folder_id: 'root', ...job } as FolderJob;
  while (!isExpanded(place)) {
    const { id } = folderToList(place);
    order.push(id);
    place = {
      ...place,
      ...nextPosition(place, { nextPageToken: undefined, below: ids(...(tree[id] ?? [])) }),
    };
  }
  return order;
}

it('lists the folders below level by level, and each once where they lie in a circle', () => {
  const tree = { root: ['a', 'b'], a: ['c', 'root'], b: ['c', 'a', 'b'], c: ['d'] };

  expect(listed(tree, { recursive: true })).toEqual(['root', 'a', 'b', 'c', 'd']);
  expect(listed(tree, {})).toEqual(['root']);
});

it('stops at 500 folders below, and at 20 levels', () => {
  const wide = { root: Array.from({ length: 800 }, (_, at) => `f${at}`) };
  const deep = Object.fromEntries(upTo(40).map((at) => [at ? `f${at}` : 'root', [`f${at + 1}`]]));

  expect(listed(wide, { recursive: true })).toHaveLength(501);
  expect(listed(deep, { recursive: true })).toHaveLength(21);
});

it('goes on with the next page of a folder below where it stopped', () => {
  const job = { drive_folder_id: 'root', recursive: true } as FolderJob;
  const first = { ...job, ...nextPosition(job, { nextPageToken: 'p2', below: ids('a') }) };
  const second = { ...first, ...nextPosition(first, { nextPageToken: undefined, below: [] }) };
  const third = { ...second, ...nextPosition(second, { nextPageToken: 'p2', below: [] }) };

  expect(folderToList(first)).toEqual({ id: 'root', depth: 0, pageToken: 'p2' });
  expect(folderToList(second)).toEqual({ id: 'a', depth: 1, pageToken: undefined });
  expect(folderToList(third)).toEqual({ id: 'a', depth: 1, pageToken: 'p2' });
});

function putTree(path: string): void {
  world.drive.put(`${path}/one.txt`, 'One.');
  world.drive.put(`${path}/deeper/two.txt`, 'Two.');
  world.drive.put(`${path}/deeper/left.mp4`, '\0\0\0\x18ftypmp42');
  world.drive.put(`${path}/deeper/deepest/three.txt`, 'Three.');
}

it('a recursive job does the files of the folders below, and writes each result beside its source', async () => {
  putTree('tree');
  const caller = await world.newCaller();
  const drive = { folder_id: await world.idOf('tree'), recursive: true };

  const { id } = await world.submit(caller, { job_type: 'chat', drive });
  await world.work();

  const { status, result } = await world.read(caller, id);
  const { files, left_out, subfolders } = result as FolderResult;
  expect({ status, subfolders }).toEqual({ status: 'done', subfolders: { found: 2, listed: 2 } });
  expect(files).toMatchObject({ found: 4, done: 3, unsupported: 1 });
  expect(left_out.map(({ filename, reason }) => [filename, reason])).toEqual([
    ['left.mp4', 'unsupported_file_type'],
  ]);
  const written = await world.contentOf(await world.idOf('three.txt.result.md'));
  expect(written).toMatch(/echo: Three\.$/);
  const { jobs } = await listJobs(caller, { parent_job_id: id });
  const deepest = jobs.find(({ filename }) => filename === 'three.txt');
  expect(deepest).toMatchObject({
    drive_folder_id: await world.idOf('deepest'),
    drive_file_id: await world.idOf('three.txt'),
  });
});

it('a recursive job killed before any request makes each job once', {
  tags: 'exhaustive',
}, async () => {
  putTree('killed-tree');
  const submission = {
    job_type: 'chat',
    drive: { folder_id: await world.idOf('killed-tree'), recursive: true },
  };
  const probe = await world.newCaller();
  await world.submit(probe, submission);
  await world.dispatch();
  const steps = some(4, upTo(await runCounted('folder')));
  await world.work();
  const jobs = [];
  for (const _ of steps) {
    const caller = await world.newCaller();
    jobs.push({ caller, id: (await world.submit(caller, submission)).id });
  }
  await world.dispatch();

  await runKilled('folder', steps);
  pass(leaseMs + 1_000);
  await world.sweep();

  for (const { caller, id } of jobs) {
    const { status, result } = await world.read(caller, id);
    const { files, left_out, left_out_more, subfolders } = result as FolderResult;
    expect(status).toBe('done');
    expect(files).toMatchObject({ found: 4, done: 3, skipped: 0, unsupported: 1 });
    expect({ left: left_out.length, left_out_more }).toEqual({ left: 1, left_out_more: 0 });
    expect(subfolders).toEqual({ found: 2, listed: 2 });
  }
});

it('a file that an earlier job has done is named with that job', async () => {
  world.drive.put('again/known.txt', 'One.');
  const caller = await world.newCaller();
  const submission = { job_type: 'chat', drive: { folder_id: await world.idOf('again') } };
  const first = await world.submit(caller, submission);
  await world.work();
  const { jobs } = await listJobs(caller, { parent_job_id: first.id });

  const { id } = await world.submit(caller, submission);
  await world.work();

  const { left_out } = (await world.read(caller, id)).result as FolderResult;
  expect(left_out).toEqual([
    {
      file_id: await world.idOf('known.txt'),
      filename: 'known.txt',
      reason: 'already_submitted',
      job_id: jobs[0]?.id,
    },
  ]);
});

it('of more than a hundred files left out a hundred are named, and the others counted', async () => {
  for (const at of upTo(130)) world.drive.put(`archives/${at}.mp4`, '\0\0\0\x18ftypmp42');
  const caller = await world.newCaller();
  const drive = { folder_id: await world.idOf('archives') };

  const { id } = await world.submit(caller, { job_type: 'auto', drive });
  await world.work();

  const { files, left_out, left_out_more } = (await world.read(caller, id)).result as FolderResult;
  expect(files).toMatchObject({ found: 130, unsupported: 130 });
  expect({ named: left_out.length, left_out_more }).toEqual({ named: 100, left_out_more: 30 });
});

it('a file that cannot be worked on is named on its record', async () => {
  const caller = await world.newCaller();
  const file_id = await world.add('alone.mp4', '\0\0\0\x18ftypmp42');

  const { id } = await world.submit(caller, { job_type: 'auto', drive: { file_id } });
  await world.work();

  const job = await world.read(caller, id);
  expect(job).toMatchObject({ status: 'failed', filename: 'alone.mp4', drive_file_id: file_id });
  expect(await retryCallersJob(caller, id)).toMatchObject({ filename: 'alone.mp4' });
});

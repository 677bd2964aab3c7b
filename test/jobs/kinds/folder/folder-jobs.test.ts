import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import { cancelQueuedJob } from '../../../../shared/jobs/engine/item/job-end.ts';
import type { FolderResult } from '../../../../shared/jobs/results/result.ts';
import { listJobs } from '../../../../shared/jobs/routes/read.ts';
import type { JobRecord } from '../../../../shared/jobs/routes/record.ts';
import { cancelJob } from '../../../../shared/jobs/routes/stop.ts';
import { changeKey } from '../../../../shared/keys/key.ts';
import { greyJpeg, smallPdf, words } from '../../../support/fixtures/small-documents.ts';
import { pass, stopClock } from '../../../support/worlds/clock.ts';
import { useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';

const world = await useDocumentWorld();

let folders = 0;

/** A folder of its own with these files; answers its path, and a caller who may read it alone. */
async function newFolder(files: Record<string, Uint8Array | string>) {
  const path = `folder-${++folders}`;
  mkdirSync(join(world.drive.folder, path));
  for (const [name, content] of Object.entries(files)) world.drive.put(`${path}/${name}`, content);
  const id = await world.idOf(path);
  return { path, id, caller: await world.newCaller({ drive_folders: [id] }) };
}

async function run(caller: Caller, folder_id: string, rest: object = {}): Promise<JobRecord> {
  const { id } = await world.submit(caller, { job_type: 'auto', drive: { folder_id }, ...rest });
  await world.work();
  return world.read(caller, id);
}

const filesOf = ({ result }: JobRecord) => (result as FolderResult).files;
const none = { found: 0, done: 0, failed: 0, cancelled: 0, skipped: 0, unsupported: 0 };

async function childrenOf(caller: Caller, { id }: JobRecord): Promise<JobRecord[]> {
  return (await listJobs(caller, { parent_job_id: id })).jobs;
}

describe("a folder's job", () => {
  it('makes a job for each file that can be worked on, and ends with the last of them', async () => {
    const { id, caller, path } = await newFolder({
      'scan.jpg': await greyJpeg(40),
      'printed.pdf': await smallPdf([{ words: words(1) }]),
      'notes.txt': 'Only words.',
      'film.mp4': new Uint8Array([0, 0, 0, 16, ...Buffer.from('ftypisom\0\0\0\0')]),
      '.hidden.txt': 'Nobody sees this.',
    });
    world.drive.put(`${path}/deeper/inside.txt`, 'Folders within it are left alone.');

    const job = await run(caller, id);

    expect(job).toMatchObject({
      status: 'done',
      error: null,
      input_type: 'drive_folder',
      filename: path,
      drive_folder_id: id,
    });
    expect(job.result).toEqual({
      type: 'folder',
      files: { ...none, found: 4, done: 3, unsupported: 1 },
      failed_files: [],
      left_out: [
        {
          file_id: await world.idOf('film.mp4'),
          filename: 'film.mp4',
          reason: 'unsupported_file_type',
        },
      ],
      left_out_more: 0,
      subfolders: { found: 1, listed: 0 },
      cost_usd: (await useOf(caller)).used,
    });
    expect((job.result as FolderResult).cost_usd).toBeGreaterThan(0);
    const children = await childrenOf(caller, job);
    expect(children.map(({ filename }) => filename).toSorted()).toEqual([
      'notes.txt',
      'printed.pdf',
      'scan.jpg',
    ]);
    for (const child of children) {
      expect(child).toMatchObject({
        input_type: 'drive_file',
        status: 'done',
        drive_folder_id: id,
      });
    }
  });

  it('with nothing in it is done at once', async () => {
    const { id, caller } = await newFolder({});

    const job = await run(caller, id, { job_type: 'ocr' });

    expect(job).toMatchObject({ status: 'done', result: { files: none, failed_files: [] } });
  });

  it('names the one bad file, which fails alone', async () => {
    const { id, caller } = await newFolder({
      'good.pdf': await smallPdf([{ words: words(1) }]),
      'bad.pdf': '%PDF-1.7\n1 0 obj',
    });

    const job = await run(caller, id, { job_type: 'ocr' });

    expect(job.status).toBe('done');
    expect(filesOf(job)).toEqual({ ...none, found: 2, done: 1, failed: 1 });
    expect((job.result as FolderResult).failed_files).toEqual([
      {
        job_id: expect.stringMatching(/^job_/),
        file_id: await world.idOf('bad.pdf'),
        filename: 'bad.pdf',
        error: expect.stringMatching(/^unreadable_document: /),
      },
    ]);
  });

  /** A folder's job that waits to list on, after its first page of files. */
  async function listedInPart() {
    const files = Array.from({ length: 101 }, (_, at) => [`${at}.txt`, `Text ${at}.`]);
    const { id, caller } = await newFolder(Object.fromEntries(files));
    const match = { method: 'GET', path: 'pageToken' };
    await world.drive.fault({ match, times: 5, status: 503, headers: { 'retry-after': '0' } });
    const job = await world.submit(caller, { job_type: 'chat', drive: { folder_id: id } });
    await world.runOnly('folder');
    return { caller, job };
  }

  it('stops the jobs of its files when it is cancelled while it waits to list on', async () => {
    const { caller, job } = await listedInPart();
    const asked = world.model.requests.length;

    expect((await cancelJob(caller, job.id)).status).toBe('cancelled');

    await world.work();
    expect(world.model.requests).toHaveLength(asked);
    const [child] = await childrenOf(caller, job);
    expect(child).toMatchObject({
      status: 'cancelled',
      error: 'cancelled: The job that this one was made for was cancelled by its caller.',
    });
  });

  it('stops the jobs of its files when a cancel that broke off is asked for again', async () => {
    const { caller, job } = await listedInPart();
    const asked = world.model.requests.length;
    await cancelQueuedJob(await world.item(caller, job.id));

    await expect(cancelJob(caller, job.id)).rejects.toThrow('this one is cancelled');

    await world.work();
    expect(world.model.requests).toHaveLength(asked);
  });

  it('has no instruction for its files where it was given an empty one', async () => {
    const { id, caller } = await newFolder({ 'plain.txt': 'Only words.' });

    const job = await run(caller, id, { pipeline_instruction: '' });

    const [child] = await childrenOf(caller, job);
    expect([job, child]).toMatchObject(Array(2).fill({ pipeline_instruction: null }));
  });

  it('counts a file whose job was cancelled', async () => {
    const { id, caller } = await newFolder({ 'a.txt': 'One.', 'b.txt': 'Two.' });
    const { id: job_id } = await world.submit(caller, {
      job_type: 'chat',
      drive: { folder_id: id },
    });
    await world.runOnly('folder');
    const folder = await world.read(caller, job_id);
    const [child] = await childrenOf(caller, folder);

    await cancelJob(caller, child?.id ?? '');
    await world.work();

    expect(filesOf(await world.read(caller, job_id))).toEqual({
      ...none,
      found: 2,
      done: 1,
      cancelled: 1,
    });
  });

  it('can run a pipeline on each file', async () => {
    const { id, caller } = await newFolder({
      'scan.jpg': await greyJpeg(90),
      'a.txt': 'Text.',
      'clip.mp4': '\0\0\0\x18ftypmp42',
    });

    const job = await run(caller, id, {
      job_type: 'ocr',
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'Sum up.',
    });

    expect(filesOf(job)).toEqual({ ...none, found: 3, done: 2, unsupported: 1 });
    for (const { result } of await childrenOf(caller, job)) {
      expect(result).toMatchObject({ type: 'pipeline', chat: { type: 'chat' } });
    }
  });
});

describe('a folder that is submitted again', () => {
  it('makes jobs for what is new or changed, and never for its own results', async () => {
    const files = { 'a.txt': 'One.', 'b.txt': 'Two.', 'c.gdoc': '# A Google document' };
    const { id, caller, path } = await newFolder(files);
    await run(caller, id);

    const again = await run(caller, id);
    world.drive.put(`${path}/b.txt`, 'Two, but longer.');
    world.drive.put(`${path}/d.txt`, 'Four.');
    const later = await run(caller, id);

    expect(filesOf(again)).toEqual({ ...none, found: 3, skipped: 3 });
    expect(filesOf(later)).toEqual({ ...none, found: 4, done: 2, skipped: 2 });
    const names = (await childrenOf(caller, later)).map(({ filename }) => filename);
    expect(names.toSorted()).toEqual(['b.txt', 'd.txt']);
  });

  it('tries a file again that failed', async () => {
    const { id, caller } = await newFolder({ 'a.txt': 'One.' });
    world.model.respond([{ kind: 'status', status: 400 }]);
    const first = await run(caller, id);

    const again = await run(caller, id);

    expect(filesOf(first)).toEqual({ ...none, found: 1, failed: 1 });
    expect(filesOf(again)).toEqual({ ...none, found: 1, done: 1 });
  });

  it('takes another task on the same content for new work', async () => {
    const { id, caller } = await newFolder({ 'scan.jpg': await greyJpeg(60) });
    await run(caller, id, { job_type: 'ocr' });

    const others = [
      { job_type: 'ocr', force_ocr: true },
      { job_type: 'ocr', model: 'gpt-4.1-mini' },
      { job_type: 'ocr', pipeline: 'ocr_then_chat', pipeline_instruction: 'Sum up.' },
      { job_type: 'ocr', pipeline: 'ocr_then_chat', pipeline_instruction: 'Translate.' },
    ];

    for (const task of others) {
      expect(filesOf(await run(caller, id, task))).toEqual({ ...none, found: 1, done: 1 });
      expect(filesOf(await run(caller, id, task))).toEqual({ ...none, found: 1, skipped: 1 });
    }
  });

  it('does each file again with fresh, as often as that is asked', async () => {
    const { id, caller } = await newFolder({ 'scan.jpg': await greyJpeg(70), 'a.txt': 'One.' });
    await run(caller, id);

    const again = [await run(caller, id, { fresh: true }), await run(caller, id, { fresh: true })];

    expect(again.map(filesOf)).toEqual(Array(2).fill({ ...none, found: 2, done: 2 }));
    const [, fresh] = await Promise.all(again.map((job) => childrenOf(caller, job)));
    const read = fresh?.find(({ filename }) => filename === 'scan.jpg');
    expect(read?.result).toMatchObject({ images_used: 1 });
  });

  it('knows what a single file was submitted for', async () => {
    const { id, caller } = await newFolder({ 'a.txt': 'One.' });
    const drive = { file_id: (await childIn(id)) ?? '' };
    await world.submit(caller, { job_type: 'chat', drive });
    await world.work();

    const job = await run(caller, id, { job_type: 'chat' });

    expect(filesOf(job)).toEqual({ ...none, found: 1, skipped: 1 });
  });

  it('at the same time as before does each file once, and counts them all', async () => {
    const { id, caller } = await newFolder({ 'a.txt': 'One.', 'b.txt': 'Two.', 'c.txt': 'Three.' });
    const submission = { job_type: 'chat', drive: { folder_id: id } };
    const submitted = [
      await world.submit(caller, submission),
      await world.submit(caller, submission),
    ];

    await world.work();

    const jobs = await Promise.all(submitted.map((job) => world.read(caller, job.id)));
    expect(jobs.map(({ status }) => status)).toEqual(['done', 'done']);
    const counts = jobs.map(filesOf);
    expect(counts.map(({ found }) => found)).toEqual([3, 3]);
    expect(counts.map(({ done, skipped }) => done + skipped)).toEqual([3, 3]);
    expect(counts.reduce((sum, { done }) => sum + done, 0)).toBe(3);
  });
});

const notFound = {
  status: 'failed',
  result: null,
  error: expect.stringMatching(/^drive_file_not_found: /),
};

describe('what lies outside', () => {
  it.each(['folder_id', 'file_id'])('is not found by its %s, whatever exists', async (field) => {
    const { caller } = await newFolder({});
    const { id: othersFolder } = await newFolder({ [`secret-${field}.txt`]: 'Secret.' });
    const othersFile = await world.idOf(`secret-${field}.txt`);
    const unknown = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const ids = [othersFolder, othersFile, unknown, 'local-drive', "' or name contains 'secret"];

    const jobs = [];
    for (const id of ids) {
      jobs.push(await world.submit(caller, { job_type: 'chat', drive: { [field]: id } }));
    }
    await world.work();

    const records = await Promise.all(jobs.map(({ id }) => world.read(caller, id)));
    for (const record of records) expect(record).toMatchObject({ ...notFound, filename: null });
    expect(new Set(records.map(({ error }) => error)).size).toBe(1);
  });

  it('is not reached by a link in an allowed folder', async () => {
    const { id, path, caller } = await newFolder({ 'own.txt': 'Own.' });
    const { path: elsewhere } = await newFolder({ 'theirs.txt': 'Secret.' });
    const at = (name: string) => join(world.drive.folder, path, name);
    symlinkSync(join('..', elsewhere, 'theirs.txt'), at('link.txt'));
    symlinkSync(join('..', elsewhere), at('folder-link'));
    symlinkSync('/etc/passwd', at('passwd.txt'));
    const links = await Promise.all(['link.txt', 'folder-link', 'passwd.txt'].map(world.idOf));
    const asked = world.model.requests.length;

    const jobs = [];
    for (const file_id of links) {
      jobs.push(await world.submit(caller, { job_type: 'chat', drive: { file_id } }));
    }
    const [, folderLink = ''] = links;
    jobs.push(await world.submit(caller, { job_type: 'chat', drive: { folder_id: folderLink } }));
    await world.work();
    const folder = await run(caller, id, { job_type: 'chat' });

    for (const job of jobs) expect(await world.read(caller, job.id)).toMatchObject(notFound);
    expect(filesOf(folder)).toMatchObject({ done: 1, failed: 0 });
    const told = world.model.requests.slice(asked).map(({ body }) => JSON.stringify(body.messages));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('Own.');
  });

  it.each(['folder_id', 'file_id'])(
    'by a change of its key is not read by its %s, and its job says so',
    async (field) => {
      const { id, caller } = await newFolder({ [`lost-${field}.txt`]: 'Own.' });
      const { id: another } = await newFolder({});
      const drive = { [field]: field === 'folder_id' ? id : await world.idOf(`lost-${field}.txt`) };
      const job = await world.submit(caller, { job_type: 'chat', drive });
      const unknown = await world.submit(caller, {
        job_type: 'chat',
        drive: { file_id: 'A'.repeat(33) },
      });
      await changeKey(caller.keyId, { drive_folders: [another] });

      await world.work();

      expect(await world.read(caller, job.id)).toMatchObject({
        status: 'cancelled',
        error: expect.stringMatching(/^folder_denied: /),
        retry_count: 0,
      });
      expect(await world.read(caller, unknown.id)).toMatchObject(notFound);
    },
  );

  it('is what a folder was listed with before its key lost it: each file’s job says so', async () => {
    const { id, caller } = await newFolder({ 'listed.txt': 'Own.' });
    const { id: another } = await newFolder({});
    const job = await world.submit(caller, { job_type: 'chat', drive: { folder_id: id } });
    await world.runOnly('folder');
    await changeKey(caller.keyId, { drive_folders: [another] });
    // A worker knows of it after a second.
    stopClock();
    pass(1_000);

    await world.work();

    const folder = await world.read(caller, job.id);
    expect(folder.status).toBe('done');
    expect(filesOf(folder)).toMatchObject({ found: 1, done: 0, failed: 0, cancelled: 1 });
  });

  it('is a file, too, that was moved there after its folder was listed', async () => {
    const { id, caller, path } = await newFolder({ 'moved.txt': 'Own.' });
    const { id: job_id } = await world.submit(caller, {
      job_type: 'chat',
      drive: { folder_id: id },
    });
    await world.runOnly('folder');
    const { path: elsewhere } = await newFolder({});
    world.drive.move(`${path}/moved.txt`, elsewhere);

    await world.work();

    const job = await world.read(caller, job_id);
    expect((job.result as FolderResult).failed_files).toMatchObject([
      { filename: 'moved.txt', error: expect.stringMatching(/^drive_file_not_found: /) },
    ]);
  });
});

/** The id of the one file of a folder; its name may lie in others too. */
async function childIn(folderId: string): Promise<string | undefined> {
  const q = `'${folderId}' in parents`;
  const { data } = await world.drive.client.files.list({ q, fields: 'files(id)' });
  return data.files?.[0]?.id ?? undefined;
}

import { expect, it } from 'vitest';
import type { Caller } from '../../shared/http/caller.ts';
import { type Job, leaseMs } from '../../shared/jobs/engine/item/job.ts';
import { maxStopTries } from '../../shared/jobs/engine/item/job-retry.ts';
import type { QueueName } from '../../shared/jobs/engine/item/queue-shards.ts';
import type { FolderResult, JobResult } from '../../shared/jobs/results/result.ts';
import { stopCallersJob } from '../../shared/jobs/routes/stop.ts';
import { greyJpeg, smallPdf, words } from '../support/fixtures/small-documents.ts';
import { some } from '../support/run/cases.ts';
import { pass, useFreshHour } from '../support/worlds/clock.ts';
import { expectBalanced, useOf } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { allJobs } from '../support/worlds/jobs.ts';
import { runCounted, runInterrupted, upTo } from '../support/worlds/killed-workers.ts';
import { chargesOf, sum, usd } from '../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

useFreshHour();

interface Submitted {
  caller: Caller;
  id: string;
}

/** Stops a job, or what it is a part of; one that has ended meanwhile stays as it is. */
async function stop({ key_id, job_id, parent_job_id }: Job): Promise<void> {
  const caller = { keyId: key_id, limits: '{}' };
  const id = parent_job_id ?? job_id;
  await stopCallersJob(caller, id).catch((error: { statusCode?: number }) => {
    if (error.statusCode !== 409) throw error;
  });
}

/** The dead workers' leases lapse, the sweep takes their jobs back, and all goes on to its end. */
async function settleDown(): Promise<void> {
  await world.work();
  for (const _ of upTo(maxStopTries + 1)) {
    pass(leaseMs + 1_000);
    await world.sweep();
  }
}

/** Expects of each job that it is over with all that was made for it, and kept what was paid for. */
async function expectStopped(jobs: Submitted[]): Promise<void> {
  const all = await allJobs();
  const statuses: string[] = [];
  for (const { caller, id } of jobs) {
    const { status, error, result } = await world.read(caller, id);
    statuses.push(status);
    if (status === 'cancelled') expect(error).toBe('stopped: The job was stopped by its caller.');
    const own = all.filter(({ key_id, status }) => key_id === caller.keyId && status);
    expect(own.filter(({ completed_at }) => !completed_at)).toEqual([]);
    const charged = (await chargesOf(caller.keyId)).map(({ cost = 0 }) => cost);
    expect(await costOf(caller, result), `${status} ${id}`).toBe(usd(sum(charged)));
    const { pages, images } = await useOf(caller);
    expect(images, 'images of the hour').toBe(pages);
  }
  // The last of them were not reached by their interruption, and a few died before they had anything to keep.
  expect(new Set(statuses)).toEqual(new Set(['cancelled', 'done']));
  expect(statuses.filter((status) => status === 'done').length).toBeLessThan(10);
  await expectBalanced(jobs.map(({ caller }) => caller));
}

/** What a result says that its job cost; a folder's is that of its files. */
async function costOf(caller: Caller, result: JobResult | null): Promise<number> {
  if (result?.type !== 'folder') return result?.cost_usd ?? 0;
  const own = (await allJobs()).filter(({ key_id }) => key_id === caller.keyId);
  const files = own.filter(({ kind }) => kind !== 'folder');
  const results = files.flatMap(({ result_json }) =>
    result_json ? [JSON.parse(result_json)] : [],
  );
  return usd(sum(results.map(({ cost_usd = 0 }) => Math.round(cost_usd * 1e9))));
}

/** Enough for the last of the workers not to be reached by its interruption. */
const beyond = 4;

/** Before which of so many requests a job is stopped, one for each. */
const steps = (requests: number) => some(4, upTo(requests));

/** Stops jobs before each request of their workers. */
async function expectStoppedBeforeAny(lane: QueueName, body: object): Promise<void> {
  // The first pages of an hour may ask for its pace more than once, which would count requests that no other job makes.
  await world.submitEach(1, body);
  await world.work();
  await world.submitEach(1, body);
  const requests = (await runCounted(lane)) + beyond;
  const jobs = await world.submitEach(steps(requests).length, body);

  await runInterrupted(lane, steps(requests), stop);
  await settleDown();

  await expectStopped(jobs);
}

it('a document stopped before any request of its worker keeps the pages that were paid for', {
  tags: 'exhaustive',
}, async () => {
  const pdf = await smallPdf([{ grey: 20 }, { words: words(2) }, { grey: 210 }]);
  const body = { job_type: 'ocr', drive: { file_id: await world.add('stopped.pdf', pdf) } };
  await expectStoppedBeforeAny('ocr', body);
});

it('a document in parts stopped before any request of a part reads no further page', {
  tags: 'exhaustive',
}, async () => {
  const pages = Array.from({ length: 52 }, (_, at) => ({ words: words(at) }));
  const pdf = await smallPdf([...pages, { grey: 90 }]);
  const body = { job_type: 'ocr', drive: { file_id: await world.add('parted.pdf', pdf) } };
  const moments = some(4, [0, 3, 9, 20, 40, 60, 5, 6, 7, 8, 14, 200]);
  const jobs = await world.submitEach(moments.length / 2, body);
  await world.runOnly('ocr');
  await world.dispatch();

  // Each document has two parts.
  await runInterrupted('ocr', moments, stop);
  await settleDown();

  await expectStopped([...jobs, ...(await doneOne(body))]);
});

/** A job of the same kind that nobody stops. */
async function doneOne(body: object): Promise<Submitted[]> {
  const jobs = await world.submitEach(1, body);
  await world.work();
  return jobs;
}

it('a pipeline stopped before any request of its chat step keeps what it read', {
  tags: 'exhaustive',
}, async () => {
  const drive = { file_id: await world.add('piped-stopped.jpg', await greyJpeg(60)) };
  const body = { job_type: 'ocr', drive, pipeline: 'ocr_then_chat' };
  await world.submitEach(1, body);
  const between = (await runCounted('ocr')) + beyond;
  await world.dispatch();
  const requests = (await runCounted('chat')) + beyond;
  await world.work();
  const [ofReading, ofChat] = [steps(between), steps(requests)];
  const jobs = await world.submitEach(ofReading.length + ofChat.length, body);

  await runInterrupted('ocr', ofReading, stop);
  await world.runOnly('ocr');
  await world.dispatch();
  await runInterrupted('chat', ofChat, stop);
  await settleDown();

  await expectStopped(jobs);
  for (const { caller, id } of jobs.slice(ofReading.length)) {
    const { result } = await world.read(caller, id);
    expect(result).toMatchObject({ type: 'pipeline', ocr: { text: 'grey 60' } });
  }
});

it.each([
  ['short', 'What was agreed?'],
  ['long', 'What was agreed? '.repeat(500)],
])(
  'a conversation stopped before any request of its worker keeps an answer that was paid for: a %s one',
  async (_, content) => {
    const body = { job_type: 'chat', inline: { messages: [{ role: 'user', content }] } };
    await expectStoppedBeforeAny('chat', body);
  },
);

it('a batch file stopped before any request keeps the lines that were answered', async () => {
  const line = (id: string) => ({
    custom_id: id,
    body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: id }] },
  });
  const lines = ['a', 'b', 'c'].map((id) => JSON.stringify(line(id)));
  const drive = { file_id: await world.add('stopped.jsonl', lines.join('\n')) };
  const body = { job_type: 'chat', drive };
  await expectStoppedBeforeAny('chat', body);
});

it('a folder stopped before any request of its listing or its end leaves no file running', async () => {
  world.drive.put('stopped/one.txt', 'Some words.');
  world.drive.put('stopped/two.jpg', await greyJpeg(80));
  const body = { job_type: 'auto', drive: { folder_id: await world.idOf('stopped') } };
  await world.submitEach(1, body);
  const listing = (await runCounted('folder')) + beyond;
  await world.work();
  const jobs = await world.submitEach(steps(listing).length, body);

  await runInterrupted('folder', steps(listing), stop);
  await settleDown();

  await expectStopped(jobs);
  for (const { caller, id } of jobs) {
    const { status, result } = await world.read(caller, id);
    const { files } = result as FolderResult;
    const { found, done, failed, cancelled } = files;
    if (status === 'cancelled') expect(done + failed + cancelled).toBeLessThanOrEqual(found);
  }
});

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renewEveryMs } from '../../../../shared/jobs/engine/item/job.ts';
import { runChatJob } from '../../../../shared/jobs/kinds/chat-queue.ts';
import { claimBest } from '../../../../shared/jobs/work/claim-jobs.ts';
import { runLeased } from '../../../../shared/jobs/work/run-leased.ts';
import { greyJpeg, readGrey, smallPdf, words } from '../../../support/fixtures/small-documents.ts';
import { gate } from '../../../support/servers/model-stub-pieces.ts';
import { poll } from '../../../support/servers/poll.ts';
import { minuteMs, pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { runCounted } from '../../../support/worlds/killed-workers.ts';

/** What happens before a page is read. */
let beforePage: () => Promise<void>;

const world = await useDocumentWorld(async (image) => {
  await beforePage();
  return readGrey(image);
});

useFreshHour();
beforeEach(() => {
  beforePage = async () => {};
});

describe('the progress on the record', () => {
  it('of a document that is read counts its pages, from the renewals of its lease', {
    tags: 'exhaustive',
  }, async () => {
    const caller = await world.newCaller();
    const greys = Array.from({ length: 12 }, (_, at) => ({ grey: 20 + 10 * at }));
    const file_id = await world.add('watched.pdf', await smallPdf([{ words: words(1) }, ...greys]));
    const { id } = await world.submit(caller, { job_type: 'ocr', drive: { file_id } });
    await world.dispatch();
    const { opened, open } = gate();
    const begun = gate();
    let count = 0;
    beforePage = async () => {
      count += 1;
      if (count <= 4) return;
      begun.open();
      await opened;
    };
    vi.useFakeTimers({ toFake: ['Date', 'setInterval'], now: Date.now() });

    const running = runCounted('ocr');
    await begun.opened;
    const { progress } = await poll(
      () => {
        vi.advanceTimersByTime(renewEveryMs);
        return world.read(caller, id);
      },
      (job) => job.progress?.done === 5,
    );
    open();
    await running;

    expect(progress).toEqual({ done: 5, total: 13, failed: 0, unit: 'pages' });
    expect(await world.read(caller, id)).toMatchObject({ status: 'done', progress: null });
  });

  it('of a document in parts counts the pages of the parts that have ended', async () => {
    const caller = await world.newCaller();
    const pages = Array.from({ length: 58 }, (_, at) => ({ words: words(at) }));
    const pdf = await smallPdf([{ grey: 30 }, ...pages, { grey: 60 }]);
    const drive = { file_id: await world.add('parts.pdf', pdf) };
    const { id } = await world.submit(caller, { job_type: 'ocr', drive });
    await world.dispatch();
    await runCounted('ocr');
    await world.dispatch();
    const before = await world.read(caller, id);
    await world.failTextract({ type: 'BadDocumentException' });

    await runCounted('ocr');
    await world.dispatch();

    expect(before.progress).toEqual({ done: 0, total: 60, failed: 0, unit: 'pages' });
    const after = await world.read(caller, id);
    expect(after.progress).toEqual({ done: 49, total: 60, failed: 1, unit: 'pages' });
    await world.work();
  });

  it('of a batch file counts its lines, and stays when the time of its worker is up', async () => {
    const caller = await world.newCaller();
    const line = (content: string) =>
      JSON.stringify({
        custom_id: content,
        body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content }] },
      });
    const names = ['slow', ...Array.from({ length: 11 }, (_, at) => `line ${at}`)];
    const file_id = await world.add(
      'lines.jsonl',
      ['no request', '', ...names.map(line)].join('\n'),
    );
    const { id } = await world.submit(caller, { job_type: 'chat', drive: { file_id } });
    world.model.respond(({ messages }) =>
      messages[0]?.content === 'slow' ? { kind: 'hang' } : undefined,
    );
    const asked = world.model.requests.length;
    await world.dispatch();
    const [job] = await claimBest('chat#0', 1);
    if (!job) throw new Error('no job is ready');
    const time = new AbortController();

    const stopped = runLeased(job, runChatJob, time.signal);
    await world.model.requestCount(asked + 9);
    time.abort();
    await stopped;

    const { status, progress } = await world.read(caller, id);
    expect(status).toBe('queued');
    expect(progress).toMatchObject({ total: 13, failed: 1, unit: 'lines' });
    expect(progress?.done).toBeGreaterThan(0);
    world.model.respond([]);
    await world.work();
  });

  it('of a folder counts its files; and its start is its first', async () => {
    world.drive.put('watched/one.jpg', await greyJpeg(70));
    world.drive.put('watched/two.txt', 'Words.');
    world.drive.put('watched/three.pdf', '');
    const caller = await world.newCaller();
    const drive = { folder_id: await world.idOf('watched') };
    const { id } = await world.submit(caller, { job_type: 'auto', drive });
    const records = [await world.read(caller, id)];
    await world.runOnly('folder');
    records.push(await world.read(caller, id));

    for (const _ of records) {
      await world.dispatch();
      await runCounted('ocr');
      await world.dispatch();
      records.push(await world.read(caller, id));
      if (records.length === 4) break;
    }
    pass(minuteMs);
    await world.work();
    const end = await world.read(caller, id);

    const [submitted, listed, ...counted] = records.map(({ progress }) => progress);
    expect(submitted).toBeNull();
    expect(listed).toEqual({ done: 0, total: 3, failed: 0, unit: 'files' });
    expect(counted.map((each) => (each?.done ?? 0) + (each?.failed ?? 0))).toEqual([1, 2]);
    expect(end).toMatchObject({
      status: 'done',
      progress: null,
      started_at: records[1]?.started_at,
    });
  });
});

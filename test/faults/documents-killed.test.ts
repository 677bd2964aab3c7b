import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Caller } from '../../shared/http/caller.ts';
import type {
  ChatBatchResult,
  ChatResult,
  FolderResult,
  OcrResult,
  PipelineResult,
} from '../../shared/jobs/results/result.ts';
import { listJobs } from '../../shared/jobs/routes/read.ts';
import { cancelJob } from '../../shared/jobs/routes/stop.ts';
import { reportLimits } from '../../shared/keys/limits-report.ts';
import { createTeam } from '../../shared/keys/team.ts';
import { brokenPicturePage, greyPage, rawPdf, wordsPage } from '../support/fixtures/poison.ts';
import { greyJpeg, smallPdf, words } from '../support/fixtures/small-documents.ts';
import { cases, some } from '../support/run/cases.ts';
import { useFreshHour } from '../support/worlds/clock.ts';
import {
  expectBalanced,
  expectPaid,
  expectTeamBalanced,
  usdPerPage,
  useOf,
} from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { runCounted, runKilled, upTo } from '../support/worlds/killed-workers.ts';
import { chargesOf, sum, usd } from '../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

useFreshHour();

/** Before which of so many requests a worker dies, one for each. */
const steps = (requests: number) => some(3, upTo(requests));

/** How many requests a run makes varies with who waits for whom, so the last of the counted ones may not come. */
const mostOf = (jobs: object[]) => Math.min(jobs.length * 0.75, jobs.length - 2);

const resultsOf = (name: string) =>
  readdirSync(world.drive.folder).filter((each) => each.startsWith(`${name}.`));

it('a worker killed before any of its requests costs no page, and pays none twice', {
  tags: 'exhaustive',
}, async () => {
  const pdf = await smallPdf([{ grey: 20 }, { words: words(2) }, { grey: 210 }]);
  const drive = { file_id: await world.add('killed.pdf', pdf) };
  const submission = { job_type: 'ocr', drive };
  await world.submitEach(1, submission);
  const requests = await runCounted('ocr');
  // No image more than the document needs: what the dead took must be found again.
  const jobs = await world.submitEach(steps(requests).length, submission, { images_per_hour: 2 });

  const deaths = await runKilled('ocr', steps(requests));
  await world.takeBack();
  await world.work();

  expect(requests).toBeGreaterThan(20);
  expect(deaths).toBeGreaterThan(mostOf(jobs));
  for (const { caller, id } of jobs) {
    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'done', error: null });
    expect((job.result as OcrResult).pages.map(({ page }) => page)).toEqual([1, 2, 3]);
    const { ocr } = await reportLimits(caller);
    expect(ocr.used_this_hour, 'images of the hour').toBe(2);
  }
  const written = resultsOf('killed.pdf').length;
  expect(written, 'one result a job').toBe(jobs.length + 1);
  await expectPaid(
    jobs.map(({ caller }) => caller),
    2,
  );
});

it("a page that can't be drawn is held and given back, whenever its worker is killed", {
  tags: 'exhaustive',
}, async () => {
  const pdf = rawPdf([greyPage(120), brokenPicturePage(), wordsPage(words(3))], [200, 100]);
  const submission = { job_type: 'ocr', drive: { file_id: await world.add('broken.pdf', pdf) } };
  await world.submitEach(1, submission);
  const requests = await runCounted('ocr');
  // Each page takes its image before it is drawn.
  const jobs = await world.submitEach(steps(requests).length, submission, { images_per_hour: 2 });

  const deaths = await runKilled('ocr', steps(requests));
  await world.takeBack();
  await world.work();

  expect(deaths).toBeGreaterThan(mostOf(jobs));
  for (const { caller, id } of jobs) {
    const { status, result } = await world.read(caller, id);
    const pages = (result as OcrResult).pages.map(({ text, error }) => error ?? text);
    expect({ status, pages }).toEqual({
      status: 'done',
      pages: [
        'grey 120',
        "unreadable_page: Page 2 can't be read: its picture is damaged.",
        words(3),
      ],
    });
    const { ocr } = await reportLimits(caller);
    expect(ocr.used_this_hour, 'images of the hour').toBe(1);
  }
  await expectPaid(
    jobs.map(({ caller }) => caller),
    1,
  );
});

it('a worker killed before any of its requests leaves each page it paid for to later jobs', {
  tags: 'exhaustive',
}, async () => {
  const pdf = await smallPdf([{ grey: 30 }, { words: words(2) }, { grey: 190 }]);
  const submission = { job_type: 'ocr', drive: { file_id: await world.add('kept.pdf', pdf) } };
  await world.submitEach(1, submission);
  const requests = await runCounted('ocr');
  const first = await world.submitEach(steps(requests).length, submission);
  const deaths = await runKilled('ocr', steps(requests));
  await world.takeBack();
  // The dead workers' jobs never go on: others of the same keys do, and their workers are killed too.
  const cancelled = await Promise.allSettled(first.map(({ caller, id }) => cancelJob(caller, id)));
  const second = await Promise.all(
    first.map(async ({ caller }) => ({ caller, id: (await world.submit(caller, submission)).id })),
  );
  await world.dispatch();

  await runKilled('ocr', steps(requests));
  await world.takeBack();
  await world.work();

  expect(cancelled.filter(({ status }) => status === 'fulfilled').length).toBe(deaths);
  const images = new Set<number>();
  for (const { caller, id } of second) {
    const { status, result } = await world.read(caller, id);
    const { pages, images_used, cost_usd } = result as OcrResult;
    expect({ status, pages: pages.length }).toEqual({ status: 'done', pages: 3 });
    expect(pages.filter(({ cached }) => cached)).toHaveLength(2 - images_used);
    expect(cost_usd).toBe(images_used * usdPerPage);
    images.add(images_used);
  }
  expect(images.size, 'from two pages left to read to none').toBeGreaterThanOrEqual(cases(2, 3));
  await expectPaid(
    first.map(({ caller }) => caller),
    2,
  );
});

it.each(
  some(1, [
    ['alone', 'piped.jpg'],
    ['in a team with all the others', 'of-a-team.jpg'],
  ]),
)(
  'a pipeline killed before any request of any step asks, charges and writes once: %s',
  { tags: 'exhaustive' },
  async (whose, name) => {
    const isInTeam = whose !== 'alone';
    const budget = { budget_usd: 100, duration: null };
    const team = isInTeam ? (await createTeam({ name: 'All of them', ...budget })).id : null;
    const drive = { file_id: await world.add(name, await greyJpeg(60)) };
    const submission = {
      job_type: 'ocr',
      drive,
      pipeline: 'ocr_then_chat',
      pipeline_instruction: 'Sum up.',
    };
    await world.submitEach(1, submission, { team });
    const counts = [await runCounted('ocr')];
    await world.dispatch();
    counts.push(await runCounted('chat'));
    await world.dispatch();
    counts.push(await runCounted('ocr'));
    const most = Math.max(...counts);
    const jobs = await world.submitEach(steps(most).length, submission, { team });

    await runKilled('ocr', steps(most));
    await world.takeBack();
    await world.runOnly('ocr');
    await world.dispatch();
    await runKilled('chat', steps(most));
    await world.takeBack();
    await world.runOnly('chat');
    await world.dispatch();
    await runKilled('ocr', steps(most));
    await world.takeBack();
    await world.work();

    expect(counts.every((count) => count > 1)).toBe(true);
    for (const { caller, id } of jobs) {
      const job = await world.read(caller, id);
      expect(job).toMatchObject({ status: 'done', error: null });
      expect(job.drive_result_file_id).toMatch(/./);
      const { ocr, chat, cost_usd } = job.result as PipelineResult;
      expect(ocr).toMatchObject({ text: 'grey 60', images_used: 1, cost_usd: usdPerPage });
      expect(chat?.content).toBe('echo: Sum up.\n\ngrey 60');
      const { pages, images } = await useOf(caller);
      expect({ pages, images }).toEqual({ pages: 1, images: 1 });
      expect(await settledOf(caller)).toEqual({ models: ['gpt-5-mini', 'textract'], cost_usd });
      expect((await listJobs(caller, { parent_job_id: id })).jobs).toHaveLength(1);
    }
    expect(resultsOf(name).length, 'one result a job').toBe(jobs.length + 1);
    await expectBalanced(jobs.map(({ caller }) => caller));
    if (team) await expectTeamBalanced(team);
  },
);

it('a chat killed before any of its requests is charged once, and its answer outlives its worker', async () => {
  const submission = {
    job_type: 'chat',
    inline: { messages: [{ role: 'user', content: 'Are you there?' }] },
  };
  await world.submitEach(1, submission);
  const requests = await runCounted('chat');
  const jobs = await world.submitEach(requests, submission);

  const deaths = await runKilled('chat', upTo(requests));
  await world.takeBack();
  const charged = await Promise.all(jobs.map(({ caller }) => settledOf(caller)));
  await world.work();

  expect(deaths).toBeGreaterThan(mostOf(jobs));
  const answered = charged.filter(({ models }) => models.length === 1).length;
  expect(answered, 'charged before the death').toBeGreaterThan(requests - deaths);
  expect(answered).toBeLessThan(requests);
  for (const { caller, id } of jobs) {
    const { status, result } = await world.read(caller, id);
    const { content, cost_usd } = result as ChatResult;
    expect({ status, content }).toEqual({ status: 'done', content: 'echo: Are you there?' });
    expect(await settledOf(caller)).toEqual({ models: ['gpt-5-mini'], cost_usd });
  }
  await expectBalanced(jobs.map(({ caller }) => caller));
});

it('a batch file killed before any request is charged once for each line', {
  tags: 'exhaustive',
}, async () => {
  const line = (id: string) => ({
    custom_id: id,
    body: { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: id }] },
  });
  const lines = ['a', 'b', 'c'].map((id) => JSON.stringify(line(id)));
  const drive = { file_id: await world.add('killed.jsonl', lines.join('\n')) };
  const submission = { job_type: 'chat', drive };
  await world.submitEach(1, submission);
  const requests = await runCounted('chat');
  const jobs = await world.submitEach(steps(requests).length, submission);

  const deaths = await runKilled('chat', steps(requests));
  await world.takeBack();
  await world.work();

  expect(deaths).toBeGreaterThan(mostOf(jobs));
  for (const { caller, id } of jobs) {
    const { status, result } = await world.read(caller, id);
    const { content, lines: counts, cost_usd } = result as ChatBatchResult;
    expect({ status, counts }).toEqual({
      status: 'done',
      counts: { total: 3, completed: 3, failed: 0 },
    });
    const answered = (content ?? '')
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(answered.map(({ custom_id }) => custom_id)).toEqual(['a', 'b', 'c']);
    expect(await settledOf(caller)).toEqual({ models: Array(3).fill('gpt-4.1-mini'), cost_usd });
  }
  expect(resultsOf('killed.jsonl').length, 'one result a job').toBe(jobs.length + 1);
  await expectBalanced(jobs.map(({ caller }) => caller));
});

it('a folder killed before any request of its listing or its end makes each job once', {
  tags: 'exhaustive',
}, async () => {
  for (const name of ['one.pdf', 'two.pdf']) world.drive.put(`killed/${name}`, '');
  world.drive.put('killed/three.txt', 'Words.');
  const submission = { job_type: 'auto', drive: { folder_id: await world.idOf('killed') } };
  await world.submitEach(1, submission);
  const requests = await runCounted('folder');
  await world.work();
  const jobs = await world.submitEach(steps(requests).length, submission);

  const deaths = await runKilled('folder', steps(requests));
  await world.takeBack();
  await world.runOnly('folder');
  await world.runOnly('ocr');
  await world.dispatch();
  await runKilled('folder', steps(requests));
  await world.takeBack();
  await world.work();

  expect(deaths).toBe(jobs.length);
  for (const { caller, id } of jobs) {
    const { status, result } = await world.read(caller, id);
    const { files, failed_files } = result as FolderResult;
    expect({ status, files }).toEqual({
      status: 'done',
      files: { found: 3, done: 1, failed: 2, cancelled: 0, skipped: 0, unsupported: 0 },
    });
    expect(failed_files.map(({ filename }) => filename).toSorted()).toEqual(['one.pdf', 'two.pdf']);
    expect((await listJobs(caller, { parent_job_id: id })).jobs).toHaveLength(3);
    expect((await settledOf(caller)).models).toHaveLength(1);
  }
  await expectBalanced(jobs.map(({ caller }) => caller));
});

/** The models that a caller has paid for, call by call, and what that came to. */
async function settledOf(caller: Caller) {
  const charges = await chargesOf(caller.keyId);
  const settled = charges.filter(({ status }) => status === 'settled');
  return {
    models: settled.map(({ model }) => model).toSorted(),
    cost_usd: usd(sum(settled.map(({ cost = 0 }) => cost))),
  };
}

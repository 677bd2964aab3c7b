import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ExtractResult } from '../../shared/jobs/results/result.ts';
import { type SmallPage, smallPdf, words } from '../support/fixtures/small-documents.ts';
import { cases, some } from '../support/run/cases.ts';
import { minuteMs, pass, useFreshHour } from '../support/worlds/clock.ts';
import { expectBalanced, usdPerPage } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { runCounted, runKilled, upTo } from '../support/worlds/killed-workers.ts';
import { chargesOf } from '../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

useFreshHour();

/** Two of them are scans. Arrays are taken by windows of six pages, with one in common: three of them. */
const pages = upTo(16).map(
  (at): SmallPage => (at % 10 === 5 ? { grey: 20 + at } : { words: words(at + 1) }),
);
const windows = 3;
const example = { shade: 'a', rows: [{ word: 'a' }] };
const extract = { example, table: true };

/** Before which of so many requests a worker dies, one for each. */
const steps = (requests: number) => some(cases(4, requests), upTo(requests));

function answerFields(): void {
  const shade = { value: 'cost', quote: 'cost', page: 1 };
  world.model.respond({ kind: 'answer', content: JSON.stringify({ shade, rows: [] }) });
}

it('a worker killed before any of its requests pays no page and no window twice', async () => {
  answerFields();
  const drive = { file_id: await world.add('killed.pdf', await smallPdf(pages)) };
  const submission = { job_type: 'auto', drive, extract };
  await world.submitEach(1, submission);
  const reading = await runCounted('ocr');
  await world.dispatch();
  const asking = await runCounted('chat');
  await world.dispatch();
  const ending = await runCounted('ocr');
  const most = Math.max(reading, asking, ending);
  const jobs = await world.submitEach(steps(most).length, submission, { images_per_hour: 2 });

  let deaths = 0;
  for (const [lane, requests] of [
    ['ocr', reading],
    ['chat', asking],
    ['ocr', ending],
  ] as const) {
    deaths += await runKilled(
      lane,
      steps(most).map((at) => at % requests),
    );
    await world.takeBack();
    await world.runOnly(lane);
    await world.dispatch();
  }
  await world.work();

  expect(deaths).toBeGreaterThan(jobs.length);
  for (const { caller, id } of jobs) {
    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'done', error: null });
    const { data, ocr, windows: asked, cost_usd } = job.result as ExtractResult;
    expect(data).toMatchObject({ shade: 'cost' });
    expect(ocr).toMatchObject({ images_used: 2, cost_usd: 2 * usdPerPage });
    expect(asked).toEqual({ total: windows, repairs: 0, failed: 0 });
    const charges = await chargesOf(caller.keyId);
    const settled = charges.filter(({ status }) => status === 'settled');
    expect(settled.filter(({ images }) => images)).toHaveLength(2);
    expect(settled.filter(({ images }) => !images)).toHaveLength(windows);
    const charged = settled.reduce((sum, { cost = 0 }) => sum + cost, 0);
    expect(charged).toBe(Math.round(cost_usd * 1e9));
  }
  const written = readdirSync(world.drive.folder).filter((name) =>
    /^killed\.pdf\.extract.*\.json$/.test(name),
  );
  expect(written, 'one result a job').toHaveLength(jobs.length + 1);
  await expectBalanced(jobs.map(({ caller }) => caller));
});

it('a worker killed before any of its requests leaves a folder one table, which is whole', async () => {
  answerFields();
  world.drive.put('killed-folder/one.txt', 'The cost is told here.');
  world.drive.put('killed-folder/two.txt', 'The cost is told there.');
  const drive = { folder_id: await world.idOf('killed-folder') };
  const submission = { job_type: 'auto', drive, extract };
  /** Brings folders to where they are ready to end. */
  const workOff = async () => {
    await world.runOnly('folder');
    for (const lane of ['ocr', 'chat', 'ocr'] as const) {
      await world.runOnly(lane);
      await world.dispatch();
    }
    await world.dispatch();
  };
  await world.submitEach(1, submission);
  await workOff();
  const requests = await runCounted('folder');
  const jobs = await world.submitEach(steps(requests).length, submission);
  await workOff();

  const deaths = await runKilled('folder', steps(requests));
  await world.takeBack();
  await world.work();
  // A worker that died over a table has it to itself for a while.
  pass(5 * minuteMs);
  await world.sweep();

  expect(deaths).toBeGreaterThan(jobs.length / 2);
  const tables = readdirSync(world.drive.folder, { recursive: true })
    .map(String)
    .filter((name) => name.includes('killed-folder.extract') && name.endsWith('.jsonl'))
    .filter((name) => !name.includes('.rows'));
  expect(tables, 'one table a job').toHaveLength(jobs.length + 1);
  for (const { caller, id } of jobs) {
    const job = await world.read(caller, id);
    expect(job).toMatchObject({ status: 'done', error: null });
    expect(job.drive_result_file_id).not.toBeNull();
    const table = await world.contentOf(job.drive_result_file_id ?? '');
    expect(table.trim().split('\n')).toHaveLength(1 + 2);
  }
});

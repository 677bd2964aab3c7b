import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaseMs } from '../../shared/jobs/engine/item/job.ts';
import { childrenOf } from '../../shared/jobs/kinds/kinds.ts';
import type { FolderResult } from '../../shared/jobs/results/result.ts';
import { greyJpeg } from '../support/fixtures/small-documents.ts';
import { cases, isExhaustive } from '../support/run/cases.ts';
import { pass, useFreshHour } from '../support/worlds/clock.ts';
import { expectBalanced, useOf } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { runKilled, upTo } from '../support/worlds/killed-workers.ts';
import { chargesOf } from '../support/worlds/ledger-world.ts';
import type { StoredJob } from '../support/worlds/stored-job.ts';

const world = await useDocumentWorld();

useFreshHour();

const [texts, scans, bad] = isExhaustive ? [270, 20, 10] : [16, 2, 2];
const total = texts + scans + bad;

/**
 * Before which of its requests each worker of the folder dies: among look-ups, between the transactions of a page, among
 * the next page's, and before it waits.
 */
const deaths = isExhaustive ? [40, 105, 234, 105, 281] : [4, 22];

it('many files, some of them bad, come to a job each, whatever is killed on the way', async () => {
  for (const at of upTo(texts)) world.drive.put(`many/text-${at}.txt`, `Words ${at}.`);
  // Each of its own content: the same page would be paid once.
  for (const at of upTo(scans)) {
    world.drive.put(`many/scan-${at}.jpg`, await greyJpeg(70, 60 + at));
  }
  for (const at of upTo(bad)) world.drive.put(`many/bad-${at}.pdf`, at % 2 ? '' : '%PDF-1.7');
  const folder_id = await world.idOf('many');
  const caller = await world.newCaller({ drive_folders: [folder_id] });
  const submission = { job_type: 'auto', drive: { folder_id }, max_retries: 10 };
  const { id } = await world.submit(caller, submission);

  for (const request of deaths) {
    await world.dispatch();
    expect(await runKilled('folder', [request])).toBe(1);
    pass(leaseMs + 1_000);
    await world.sweepOnly();
  }
  await world.runOnly('folder');
  await world.dispatch();
  // A bad file's worker makes few requests, and workers of one process share some.
  expect(await runKilled('ocr', [...upTo(20), ...upTo(20)])).toBeGreaterThan(cases(8, 16));
  pass(leaseMs + 1_000);
  await world.sweep();

  const { status, result } = await world.read(caller, id);
  const { files, failed_files } = result as FolderResult;
  expect({ status, files }).toEqual({
    status: 'done',
    files: {
      found: total,
      done: texts + scans,
      failed: bad,
      cancelled: 0,
      skipped: 0,
      unsupported: 0,
    },
  });
  expect(failed_files.map(({ filename }) => filename).toSorted()).toEqual(
    upTo(bad).map((at) => `bad-${at}.pdf`),
  );
  const children = await Array.fromAsync(childrenOf(await world.item(caller, id)));
  expect(children.map(({ filename }) => filename).toSorted()).toEqual(
    readdirSync(join(world.drive.folder, 'many'))
      .filter((name) => !name.endsWith('.md'))
      .toSorted(),
  );
  expect(new Set((children as StoredJob[]).map(({ drive_file_id }) => drive_file_id)).size).toBe(
    total,
  );
  const results = readdirSync(join(world.drive.folder, 'many')).filter((name) =>
    name.endsWith('.md'),
  );
  expect(results).toHaveLength(texts + scans);
  const settled = (await chargesOf(caller.keyId)).filter((charge) => charge.status === 'settled');
  expect(new Set(settled.map(({ job_id }) => job_id)).size).toBe(texts + scans);
  expect(settled).toHaveLength(texts + scans);
  expect((await useOf(caller)).images).toBe(scans);
  await expectBalanced([caller]);

  const { id: again } = await world.submit(caller, submission);
  await world.work();
  expect((await world.read(caller, again)).result).toMatchObject({
    files: { found: total, done: 0, failed: bad, skipped: texts + scans },
  });
}, 300_000);

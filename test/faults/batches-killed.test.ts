import { expect, it } from 'vitest';
import { listFiles } from '../../shared/files/list-files.ts';
import type { Caller } from '../../shared/http/caller.ts';
import type { Batch } from '../../shared/jobs/kinds/batch/batch.ts';
import { cases, some } from '../support/run/cases.ts';
import { batchesIn, requestLine as line } from '../support/worlds/batch-world.ts';
import { useFreshHour } from '../support/worlds/clock.ts';
import { expectBalanced } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { runCounted, runKilled, upTo } from '../support/worlds/killed-workers.ts';
import { chargesOf, sum } from '../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);

useFreshHour();

/** The third of each ten lines is refused by the model. */
const linesOf = (count: number) =>
  upTo(count).map((at) => line(`id-${at}`, at % 10 === 3 ? 'refused' : `question ${at}`));

const refuseSome = () =>
  world.model.respond(({ messages }) =>
    messages[0]?.content === 'refused' ? { kind: 'status', status: 400 } : undefined,
  );

/** Expects that each line has one result, each answer one charge, and the key one file of either kind. */
async function expectEachOnce(caller: Caller, batch: Batch, count: number): Promise<void> {
  const refused = upTo(count).filter((at) => at % 10 === 3).length;
  expect(batch).toMatchObject({
    status: 'completed',
    request_counts: { total: count, completed: count - refused, failed: refused },
  });
  const outputs = await batches.outputs(caller, batch);
  const errors = await batches.errors(caller, batch);
  const ids = [...outputs, ...errors].map(({ custom_id }) => custom_id);
  expect(ids.sort()).toEqual(
    upTo(count)
      .map((at) => `id-${at}`)
      .sort(),
  );
  const settled = (await chargesOf(caller.keyId)).filter(({ status }) => status === 'settled');
  expect(settled).toHaveLength(outputs.length);
  const { result } = await world.read(caller, batches.jobIdOf(batch));
  const cost = sum(settled.map(({ cost = 0 }) => cost));
  expect(Math.round((result as { cost_usd: number }).cost_usd * 1e9)).toBe(cost);
  const { data } = await listFiles(caller.keyId, { purpose: 'batch_output' });
  expect(data.map(({ id }) => id).sort()).toEqual(
    [batch.output_file_id, batch.error_file_id].sort(),
  );
  await expectBalanced([caller]);
}

it('a worker killed before any of its requests has each line answered, paid and kept once', async () => {
  refuseSome();
  const count = 5;
  const first = await world.newCaller();
  await batches.create(first, linesOf(count));
  await world.dispatch();
  const requests = await runCounted('chat');
  await world.work();
  const deaths: number[] = [];

  for (const request of some(5, upTo(requests))) {
    const caller = await world.newCaller();
    const batch = await batches.create(caller, linesOf(count));
    await world.dispatch();
    deaths.push(await runKilled('chat', [request]));
    await world.takeBack();
    await world.work();
    await expectEachOnce(caller, await batches.read(caller, batch), count);
  }

  expect(requests).toBeGreaterThan(20);
  expect(sum(deaths)).toBe(deaths.length);
});

it('a batch of 10,000 lines whose workers are killed again and again has 10,000 results', {
  tags: 'exhaustive',
  timeout: 900_000,
}, async () => {
  refuseSome();
  const count = cases(500, 10_000);
  // What a dead worker held, and had under way, stays so for an hour: that must not be what stops the others.
  const caller = await world.newCaller({ budget_usd: 1_000, max_concurrent: null });
  const batch = await batches.create(caller, linesOf(count));
  await world.dispatch();
  const kills = cases(5, 40);

  for (let kill = 0; kill < kills; kill += 1) {
    // Each worker is killed somewhere else in its way; a line takes about four requests.
    const request = 3 + ((kill * 7919) % Math.ceil((4 * count) / kills));
    await runKilled('chat', [request]);
    await world.takeBack();
    await world.dispatch();
  }
  await world.work();

  expect(await world.item(caller, batches.jobIdOf(batch))).toMatchObject({
    retry_count: expect.any(Number),
  });
  await expectEachOnce(caller, await batches.read(caller, batch), count);
});

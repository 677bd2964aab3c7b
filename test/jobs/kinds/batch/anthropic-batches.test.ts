import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { Batch } from '../../../../shared/jobs/kinds/batch/batch.ts';
import { some } from '../../../support/run/cases.ts';
import { useBatchUpstream } from '../../../support/servers/batch-upstream.ts';
import { batchesIn, requestLine } from '../../../support/worlds/batch-world.ts';
import { minuteMs, pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { expectBalanced } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { runKilled, upTo } from '../../../support/worlds/killed-workers.ts';
import { chargesOf, sum } from '../../../support/worlds/ledger-world.ts';

// The catalogue is read when it is first imported.
vi.hoisted(() => {
  process.env['QUIRE_CATALOGUE'] = 'shared/models/catalogue-with-claude.json';
});

const world = await useDocumentWorld();
const batches = batchesIn(world);
const upstream = await useBatchUpstream();
const secrets = JSON.parse(process.env['PROVIDER_SECRETS'] ?? '{}');
process.env['PROVIDER_SECRETS'] = JSON.stringify({ ...secrets, anthropic: secrets['openai'] });
process.env['OPENAI_BASE_URL'] = upstream.url;

useFreshHour();

afterEach(() => {
  upstream.store.batches.length = 0;
  upstream.behaviour.onMake = [];
});

const model = 'claude-haiku-4-5';
const line = (at: number, endpoint = '/v1/chat/completions') =>
  requestLine(`id-${at}`, `question ${at}`, { model, max_tokens: 100 }, { url: endpoint });
const via = { metadata: { via: 'upstream' } };

async function wait(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 11) {
    pass(11 * minuteMs);
    await world.sweep();
  }
}

/** Expects each line's answer in its own dialect, at half the price of Haiku: $0.50 and $2.50 a million. */
async function expectEachOnce(caller: Caller, batch: Batch, count: number): Promise<void> {
  expect(batch.request_counts).toEqual({ total: count, completed: count, failed: 0 });
  const outputs = await batches.outputs(caller, batch);
  const contents = outputs.map(({ response }) => response?.body.choices?.[0]?.message.content);
  expect(contents.sort()).toEqual(upTo(count).map((at) => `echo: question ${at}`));
  const charges = await chargesOf(caller.keyId);
  const costs = charges.map(({ prompt_tokens = 0, completion_tokens = 0 }) =>
    Math.ceil(prompt_tokens * 500 + completion_tokens * 2_500),
  );
  expect(sum(charges.map(({ cost = 0 }) => cost))).toBe(sum(costs));
  expect(charges).toHaveLength(count);
  await expectBalanced([caller]);
}

describe('a batch of a model whose upstream speaks Messages', () => {
  it('is a batch of messages there, and answers in its own dialect', async () => {
    const caller = await world.newCaller();
    const created = await batches.create(
      caller,
      upTo(5).map((at) => line(at)),
      via,
    );
    await world.work();
    await wait(60);

    expect(upstream.store.batches).toHaveLength(1);
    expect(upstream.store.batches[0]?.requests[0]).toMatchObject({
      customId: expect.stringMatching(/^[0-9a-f]{32}-0001-1$/),
      ...{ url: '/v1/messages', body: { max_tokens: 100 } },
    });
    await expectEachOnce(caller, await batches.read(caller, created), 5);
  });

  it('is found by its first result where it isn’t known whether it was made, among others of as many requests', async () => {
    upstream.behaviour.onMake = ['answer lost'];
    const [caller, other] = [await world.newCaller(), await world.newCaller()];
    const created = await batches.create(
      caller,
      upTo(3).map((at) => line(at)),
      via,
    );
    await world.work();
    const another = await batches.create(
      other,
      upTo(3).map((at) => line(at)),
      via,
    );
    await world.work();
    await wait(90);

    expect(upstream.store.batches).toHaveLength(2);
    await expectEachOnce(caller, await batches.read(caller, created), 3);
    await expectEachOnce(other, await batches.read(other, another), 3);
  });

  it('that is refused for a while is made later, and once', async () => {
    upstream.behaviour.onMake = [429];
    const caller = await world.newCaller();
    const created = await batches.create(
      caller,
      upTo(2).map((at) => line(at)),
      via,
    );
    await world.work();
    await wait(60);

    expect(upstream.store.batches).toHaveLength(1);
    await expectEachOnce(caller, await batches.read(caller, created), 2);
  });

  it('is made once by workers that are killed around its making', async () => {
    for (const request of some(6, upTo(16))) {
      upstream.store.batches.length = 0;
      const caller = await world.newCaller();
      const created = await batches.create(
        caller,
        upTo(2).map((at) => line(at)),
        via,
      );
      await world.dispatch();
      await runKilled('chat', [request]);
      await world.takeBack();
      await wait(70);
      expect(upstream.store.batches, `killed before request ${request}`).toHaveLength(1);
      await expectEachOnce(caller, await batches.read(caller, created), 2);
    }
  }, 200_000);
});

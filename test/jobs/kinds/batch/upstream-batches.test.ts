import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dynamodb } from '../../../../shared/aws/dynamodb.ts';
import { setting } from '../../../../shared/config.ts';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { Batch } from '../../../../shared/jobs/kinds/batch/batch.ts';
import { sweepStanding } from '../../../../shared/jobs/kinds/batch/upstream/sweep-standing.ts';
import { cancelBatch } from '../../../../shared/jobs/routes/read-batches.ts';
import { createTeam } from '../../../../shared/keys/team.ts';
import { standingOf } from '../../../../shared/ledger/standing-hold.ts';
import { putInTeam } from '../../../../shared/ledger/team.ts';
import { openaiBatches } from '../../../../shared/models/batches/openai-batches.ts';
import { checkKey } from '../../../../shared/usage/check.ts';
import { some } from '../../../support/run/cases.ts';
import { useBatchUpstream } from '../../../support/servers/batch-upstream.ts';
import { batchesIn, requestLine as line } from '../../../support/worlds/batch-world.ts';
import { hourMs, minuteMs, pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { expectBalanced, expectTeamBalanced, useOf } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { runCounted, runKilled, upTo } from '../../../support/worlds/killed-workers.ts';
import { accountOf, chargesOf, sum } from '../../../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);
const upstream = await useBatchUpstream();
process.env['OPENAI_BASE_URL'] = upstream.url;

useFreshHour();

beforeEach(() => {
  upstream.store.batches.length = 0;
  upstream.asked.length = 0;
});
afterEach(() => {
  Object.assign(upstream.behaviour, { answeredAtCancel: 0, onMake: [], answerOf: undefined });
});

const via = (rest: object = {}) => ({ metadata: { via: 'upstream', ...rest } });
const linesUpTo = (count: number) => upTo(count).map((at) => line(`id-${at}`, `question ${at}`));

/** Minutes go by, with the sweep of each. */
async function wait(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 11) {
    pass(11 * minuteMs);
    await world.sweep();
  }
}

const standing = (caller: Caller) => Array.fromAsync(standingOf(caller.keyId));

/** Expects that each line has one result and each answer one charge, at half the price, and that nothing is held. */
async function expectEachOnce(caller: Caller, batch: Batch, count: number): Promise<void> {
  const ids = [
    ...(await batches.outputs(caller, batch)),
    ...(await batches.errors(caller, batch)),
  ].map(({ custom_id }) => custom_id);
  expect(ids.sort()).toEqual(
    upTo(count)
      .map((at) => `id-${at}`)
      .sort(),
  );
  const settled = (await chargesOf(caller.keyId)).filter(({ status }) => status === 'settled');
  expect(settled).toHaveLength(batch.request_counts.completed);
  for (const { cost, prompt_tokens = 0, completion_tokens = 0, tags } of settled) {
    expect(cost).toBe(prompt_tokens * 200 + completion_tokens * 800);
    expect(tags).toEqual(['batch', 'batch:chat', 'batch:upstream']);
  }
  expect(await standing(caller)).toEqual([]);
  await expectBalanced([caller]);
}

describe('a batch that is handed on', () => {
  it('is held at half the price, polled, and paid by line at half the price', async () => {
    const caller = await world.newCaller();
    const created = await batches.create(caller, ['', ...linesUpTo(120)], via());
    await world.work();

    const [held] = await standing(caller);
    const { held: heldOnAccount } = await accountOf(caller.keyId);
    const running = await batches.read(caller, created);
    const check = await checkKey(caller.keyId);
    await wait(60);
    const batch = await batches.read(caller, created);

    expect(running.status).toBe('in_progress');
    expect(heldOnAccount).toBe(held?.hold);
    expect(check.account_differences).toEqual([]);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 120, completed: 120, failed: 0 },
    });
    const [first] = await batches.outputs(caller, batch);
    expect(first?.response?.body.choices?.[0]?.message.content).toBe('echo: question 0');
    expect(upstream.store.batches).toHaveLength(1);
    expect(upstream.asked).toEqual([]);
    await expectEachOnce(caller, batch, 120);
  });

  it('stands for hours, through the audits of the ledger', async () => {
    upstream.behaviour.delayMs = 5 * hourMs;
    const caller = await world.newCaller();
    await batches.create(caller, linesUpTo(3), via());
    await world.work();
    pass(hourMs);
    await sweepStanding();
    await world.sweep();

    const { held } = await accountOf(caller.keyId);
    const [stands] = await standing(caller);
    upstream.behaviour.delayMs = 30 * minuteMs;
    await wait(22);

    expect(held).toBe(stands?.hold);
    expect(held).toBeGreaterThan(0);
    expect(await standing(caller)).toEqual([]);
  });

  it('gives its provider a line’s own temperature, and none of ours, which it might refuse', async () => {
    upstream.behaviour.answerOf = ({ body }) =>
      (body as { temperature?: number }).temperature === undefined
        ? undefined
        : { status: 400, body: { error: { message: "Unsupported value: 'temperature'" } } };
    const caller = await world.newCaller();
    const own = line('id-1', 'question 1', { temperature: 0.15 });
    const created = await batches.create(caller, [line('id-0', 'question 0'), own], via());
    await world.work();
    await wait(45);

    const batch = await batches.read(caller, created);

    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    expect(await batches.errors(caller, batch)).toMatchObject([{ custom_id: 'id-1' }]);
  });

  it('says in its error file which lines failed there', async () => {
    upstream.behaviour.answerOf = ({ body }) =>
      JSON.stringify(body).includes('question 1')
        ? { status: 400, body: { error: { message: 'No.', code: 'invalid_prompt' } } }
        : undefined;
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(3), via());
    await world.work();
    await wait(45);

    const batch = await batches.read(caller, created);

    expect(batch.request_counts).toEqual({ total: 3, completed: 2, failed: 1 });
    expect(await batches.errors(caller, batch)).toMatchObject([
      {
        custom_id: 'id-1',
        response: { status_code: 400, body: { error: { code: 'invalid_prompt' } } },
      },
    ]);
    await expectEachOnce(caller, batch, 3);
  });

  it('has lines that failed there, or have no result, asked here at the usual price if it says so', async () => {
    upstream.behaviour.answerOf = ({ body }) => {
      const text = JSON.stringify(body);
      if (text.includes('question 2')) return 'missing';
      return text.includes('question 1') ? { status: 500, body: {} } : undefined;
    };
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(4), via({ on_failure: 'here' }));
    await world.work();
    await wait(45);

    const batch = await batches.read(caller, created);

    expect(batch.request_counts).toEqual({ total: 4, completed: 4, failed: 0 });
    expect(upstream.asked).toHaveLength(2);
    const charges = await chargesOf(caller.keyId);
    expect(charges.filter(({ tags }) => !tags.includes('batch:upstream'))).toHaveLength(2);
    expect(await standing(caller)).toEqual([]);
    await expectBalanced([caller]);
  });

  it('that is cancelled is cancelled there, and keeps and pays what was answered by then', async () => {
    upstream.behaviour.answeredAtCancel = 2;
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(5), via());
    await world.work();

    await cancelBatch(caller, created.id);
    await world.work();
    await wait(10);

    const batch = await batches.read(caller, created);
    expect(batch).toMatchObject({ status: 'cancelled', request_counts: { completed: 2 } });
    const errors = await batches.errors(caller, batch);
    expect(errors.map(({ error }) => error?.code)).toEqual(Array(3).fill('batch_cancelled'));
    await expectEachOnce(caller, batch, 5);
  });

  it('whose window ends is cancelled there, and expires', async () => {
    upstream.behaviour.delayMs = 100 * hourMs;
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(2), via());
    await world.work();
    pass(25 * hourMs);
    await world.sweep();
    await wait(15);
    upstream.behaviour.delayMs = 30 * minuteMs;

    const batch = await batches.read(caller, created);

    expect(batch.status).toBe('expired');
    const errors = await batches.errors(caller, batch);
    expect(errors.map(({ error }) => error?.code)).toEqual(['batch_expired', 'batch_expired']);
    await expectEachOnce(caller, batch, 2);
  });

  it('whose making has an unknown outcome is found again, and made once', async () => {
    upstream.behaviour.onMake = ['answer lost'];
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(3), via());
    await world.work();
    await wait(60);

    expect(upstream.store.batches).toHaveLength(1);
    await expectEachOnce(caller, await batches.read(caller, created), 3);
  });

  it('that its upstream refuses for a while is made later, and once', async () => {
    upstream.behaviour.onMake = [503, 429];
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(3), via());
    await world.work();
    await wait(70);

    expect(upstream.store.batches).toHaveLength(1);
    await expectEachOnce(caller, await batches.read(caller, created), 3);
  });

  it('that its upstream refuses for good fails line by line, and pays nothing', async () => {
    upstream.behaviour.onMake = [400];
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(3), via());
    await world.work();
    await wait(5);

    const batch = await batches.read(caller, created);

    expect(batch.request_counts).toEqual({ total: 3, completed: 0, failed: 3 });
    expect((await useOf(caller)).used).toBe(0);
    await expectEachOnce(caller, batch, 3);
  });

  it('is a batch there for each of its models, and for as many lines as one may have', async () => {
    const { requests } = openaiBatches.most;
    openaiBatches.most.requests = 4;
    const caller = await world.newCaller();
    const lines = upTo(10).map((at) =>
      line(`id-${at}`, 'Hi', at % 4 === 3 ? { model: 'gpt-4.1' } : {}),
    );
    const created = await batches.create(caller, lines, via());
    await world.work();
    openaiBatches.most.requests = requests;
    await wait(45);

    const made = upstream.store.batches.map((batch) =>
      batch.requests.map(({ body }) => body['model']),
    );
    expect(made).toEqual([
      Array(4).fill('gpt-4.1-mini'),
      Array(4).fill('gpt-4.1-mini'),
      Array(2).fill('gpt-4.1'),
    ]);
    const outputs = await batches.outputs(caller, await batches.read(caller, created));
    expect(outputs.map(({ custom_id }) => custom_id)).toEqual(upTo(10).map((at) => `id-${at}`));
    await expectBalanced([caller]);
  });

  it('that is cancelled by workers that are killed is collected once', async () => {
    upstream.behaviour.answeredAtCancel = 2;
    for (const request of some(4, upTo(14))) {
      const caller = await world.newCaller();
      const created = await batches.create(caller, linesUpTo(3), via());
      await world.work();
      await cancelBatch(caller, created.id);
      await world.dispatch();
      await runKilled('chat', [request % 7]);
      await world.takeBack();
      pass(2 * minuteMs);
      await world.sweepOnly();
      await runKilled('chat', [request]);
      await world.takeBack();
      await wait(22);
      const batch = await batches.read(caller, created);
      expect(batch).toMatchObject({ status: 'cancelled', request_counts: { completed: 2 } });
      await expectEachOnce(caller, batch, 3);
    }
  }, 100_000);

  it('has its hold given back by the sweep if its job fails for good before it is settled', async () => {
    const caller = await world.newCaller();
    const created = await batches.create(caller, linesUpTo(3), via());
    await world.work();
    const { due_at: _, ...job } = await world.item(caller, batches.jobIdOf(created));
    const Item = { ...job, status: 'failed', completed_at: new Date().toISOString() };
    await dynamodb.send(new PutCommand({ TableName: setting('JOBS_TABLE'), Item }));
    expect(await standing(caller)).toHaveLength(1);

    pass(hourMs + minuteMs);
    await sweepStanding();

    expect(await standing(caller)).toEqual([]);
    await expectBalanced([caller]);
  });

  it('is paid by a key’s team too', async () => {
    const caller = await world.newCaller();
    const team = await createTeam({ name: 'all', budget_usd: 1, duration: null });
    await putInTeam(caller.keyId, team.id);
    const created = await batches.create(caller, linesUpTo(3), via());
    await world.work();
    const held = (await accountOf(team.id)).held;
    await wait(45);

    expect(held).toBeGreaterThan(0);
    await expectEachOnce(caller, await batches.read(caller, created), 3);
    await expectTeamBalanced(team.id);
  });

  it('is told by the field if it asks for what there isn’t', async () => {
    const caller = await world.newCaller();

    await expect(batches.create(caller, linesUpTo(1), via({ via: 'there' }))).rejects.toThrow(
      expect.objectContaining({ statusCode: 422 }),
    );
  });
});

describe('a budget', () => {
  const hold = 1_000;
  const small = (count: number) =>
    upTo(count).map((at) => line(`id-${at}`, `question ${at}`, { max_tokens: hold }));

  it('that covers some lines has these handed on, and the others after them', async () => {
    const caller = await world.newCaller({ budget_usd: 0.0025 });
    const created = await batches.create(caller, small(4), via());
    await world.work();
    expect(upstream.store.batches.map(({ requests }) => requests.length)).toEqual([3]);
    await wait(120);

    expect(upstream.store.batches.length).toBeGreaterThan(1);
    await expectEachOnce(caller, await batches.read(caller, created), 4);
  });

  it('that doesn’t cover a line ends it with budget_exceeded, where the batch doesn’t wait', async () => {
    const caller = await world.newCaller({ budget_usd: 0.0025 });
    const dear = line('id-1', 'question 1', { max_tokens: 10 * hold });
    const [first = '', , third = ''] = small(4);
    const last = line('id-3', 'question 3', { max_tokens: 9 * hold });
    const lines = [first, dear, third, last];
    const created = await batches.create(caller, lines, via({ on_budget: 'fail' }));
    await world.work();
    await wait(60);

    const batch = await batches.read(caller, created);

    expect(batch.request_counts).toEqual({ total: 4, completed: 2, failed: 2 });
    const errors = await batches.errors(caller, batch);
    expect(errors).toMatchObject([
      { custom_id: 'id-1', response: { body: { error: { code: 'budget_exceeded' } } } },
      { custom_id: 'id-3', response: { body: { error: { code: 'budget_exceeded' } } } },
    ]);
    await expectEachOnce(caller, batch, 4);
  });
});

describe('a worker killed before any of its requests', () => {
  it('has the batch made once, and each line paid once: while it is handed on, and while it is collected', async () => {
    const count = 60;
    const first = await world.newCaller();
    await batches.create(first, linesUpTo(count), via());
    await world.dispatch();
    const handing = await runCounted('chat');
    pass(31 * minuteMs);
    await world.sweepOnly();
    const collecting = await runCounted('chat');
    const deaths: number[] = [];

    for (const request of some(4, upTo(handing))) {
      upstream.store.batches.length = 0;
      const caller = await world.newCaller();
      const created = await batches.create(caller, linesUpTo(count), via());
      await world.dispatch();
      deaths.push(await runKilled('chat', [request]));
      await world.takeBack();
      await wait(60);
      expect(upstream.store.batches, `killed before request ${request}`).toHaveLength(1);
      await expectEachOnce(caller, await batches.read(caller, created), count);
    }
    for (const request of some(4, upTo(collecting))) {
      upstream.store.batches.length = 0;
      const caller = await world.newCaller();
      const created = await batches.create(caller, linesUpTo(count), via());
      await world.work();
      pass(31 * minuteMs);
      await world.sweepOnly();
      deaths.push(await runKilled('chat', [request]));
      await world.takeBack();
      await wait(40);
      expect(upstream.store.batches).toHaveLength(1);
      await expectEachOnce(caller, await batches.read(caller, created), count);
    }

    expect(handing).toBeGreaterThan(8);
    expect(collecting).toBeGreaterThan(8);
    expect(sum(deaths)).toBe(deaths.length);
  }, 300_000);
});

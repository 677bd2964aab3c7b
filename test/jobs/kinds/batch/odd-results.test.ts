import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../shared/http/caller.ts';
import type { Batch } from '../../../../shared/jobs/kinds/batch/batch.ts';
import { standingOf } from '../../../../shared/ledger/standing-hold.ts';
import { openaiBatches } from '../../../../shared/models/batches/openai-batches.ts';
import { some } from '../../../support/run/cases.ts';
import { useBatchUpstream } from '../../../support/servers/batch-upstream.ts';
import { batchesIn, requestLine as line } from '../../../support/worlds/batch-world.ts';
import { minuteMs, pass, useFreshHour } from '../../../support/worlds/clock.ts';
import { expectBalanced } from '../../../support/worlds/document-use.ts';
import { useDocumentWorld } from '../../../support/worlds/document-world.ts';
import { upTo } from '../../../support/worlds/killed-workers.ts';
import { chargesOf } from '../../../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();
const batches = batchesIn(world);
const upstream = await useBatchUpstream();
process.env['OPENAI_BASE_URL'] = upstream.url;

useFreshHour();

const addFile = upstream.store.addFile.bind(upstream.store);
beforeEach(() => {
  upstream.store.batches.length = 0;
});
afterEach(() => {
  upstream.store.addFile = addFile;
  upstream.behaviour.answerOf = undefined;
});

const count = 5;

/** Runs a batch of five lines whose provider's results are changed on their way. */
async function runWith(change: (lines: string[]) => string[], metadata = {}, minutes = 66) {
  upstream.store.addFile = (content) => {
    const lines = content.toString().trimEnd().split('\n');
    const isResult = lines[0]?.includes('"response"');
    return addFile(isResult ? Buffer.from(`${change(lines).join('\n')}\n`) : content);
  };
  const caller = await world.newCaller();
  const lines = upTo(count).map((at) => line(`id-${at}`, `question ${at}`));
  const created = await batches.create(caller, lines, {
    metadata: { via: 'upstream', ...metadata },
  });
  await world.work();
  for (let minute = 0; minute < minutes; minute += 11) {
    pass(11 * minuteMs);
    await world.sweep();
  }
  return { caller, batch: await batches.read(caller, created) };
}

/** Expects that each line has one result, each answer one charge, and that nothing is held. */
async function expectEachOnce(caller: Caller, batch: Batch) {
  const [outputs, errors] = [
    await batches.outputs(caller, batch),
    await batches.errors(caller, batch),
  ];
  const ids = [...outputs, ...errors].map(({ custom_id }) => custom_id);
  expect(ids.sort()).toEqual(upTo(count).map((at) => `id-${at}`));
  const settled = (await chargesOf(caller.keyId)).filter(({ status }) => status === 'settled');
  expect(settled).toHaveLength(outputs.length);
  expect(await Array.fromAsync(standingOf(caller.keyId))).toEqual([]);
  await expectBalanced([caller]);
  return { outputs, errors };
}

const changed = (text: string | undefined, change: object) =>
  JSON.stringify({ ...JSON.parse(text ?? ''), ...change });
const answered = (text: string | undefined, response: object) =>
  changed(text, { response: { ...JSON.parse(text ?? '').response, ...response } });
const idOf = (text: string | undefined) => JSON.parse(text ?? '').custom_id as string;

describe('a line of a provider’s results', () => {
  type Change = (last: string | undefined, first: string | undefined) => string;
  const lines: [string, Change, string][] = [
    ['without an id', (last) => changed(last, { custom_id: null }), 'line 5 has a wrong custom_id'],
    ['with a number as its id', (last) => changed(last, { custom_id: 7 }), 'wrong custom_id'],
    ['that is no JSON', () => '{"custom_id": "id', 'line 5 has a wrong form'],
    ['that is no object', () => '[1]', 'line 5 has a wrong'],
    ['that is null', () => 'null', 'line 5 has a wrong form'],
    ['that is none', () => '', 'did not answer this request in its batch.'],
    ['of a request that has one', (_, first) => first ?? '', 'a request has two'],
    ['of an unknown request', (last) => changed(last, { custom_id: 'x-1' }), 'is of no request'],
    [
      'of a line that there isn’t',
      (last) => changed(last, { custom_id: `${idOf(last)}0` }),
      'is of no request',
    ],
    [
      'whose number is written otherwise',
      (last) => changed(last, { custom_id: `${idOf(last)}e0` }),
      'is of no request',
    ],
    [
      'that is huge',
      (last) => changed(last, { x: 'x'.repeat(33 * 2 ** 20) }),
      'line 5 is too long',
    ],
    ['whose response is a text', (last) => changed(last, { response: 'yes' }), 'wrong response'],
    ['whose status is a text', (last) => answered(last, { status_code: '200' }), 'status_code'],
  ];
  it.each(some(5, lines))(
    '%s is passed over and told, and the others are paid',
    async (_, change, told) => {
      const { caller, batch } = await runWith((lines) => [
        ...lines.slice(0, -1),
        change(lines.at(-1), lines[0]),
      ]);

      expect(batch).toMatchObject({
        status: 'completed',
        request_counts: { completed: 4, failed: 1 },
      });
      const { errors } = await expectEachOnce(caller, batch);
      const [{ response } = { response: null }] = errors;
      expect(response?.body.error).toMatchObject({ code: 'batch_expired' });
      expect(JSON.stringify(response?.body)).toContain(told);
    },
  );

  const responses: [string, object][] = [
    ['has no body', { body: null }],
    ['has a text as its body', { body: 'Hi' }],
    [
      'has a list of choices that is none',
      { body: { choices: 'Hi', usage: { prompt_tokens: 1 } } },
    ],
    ['has nothing in its choices', { body: { choices: [null, 7, {}] } }],
    ['failed without a reason', { status_code: 500, body: null }],
    ['failed with a status that is none', { status_code: 1e9, body: { error: 'No' } }],
  ];
  it.each(some(2, responses))('that %s fails its request, and no other', async (_, response) => {
    const { caller, batch } = await runWith((lines) => [
      answered(lines[0], response),
      ...lines.slice(1),
    ]);

    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 5, completed: 4 },
    });
    await expectEachOnce(caller, batch);
  });

  const figures: [string, unknown][] = [
    ['less than nothing', -5],
    ['no number', 'many'],
    ['a fraction', 1.5],
    ['more than there can be', 1e300],
  ];
  it.each(some(2, figures))(
    'that used %s costs no more than was held, and no less than nothing',
    async (_, tokens) => {
      const usage = { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: tokens };
      const { caller, batch } = await runWith((lines) => [
        answered(lines[0], { body: { ...JSON.parse(lines[0] ?? '').response.body, usage } }),
        ...lines.slice(1),
      ]);

      expect(batch.status).toBe('completed');
      await expectEachOnce(caller, batch);
      for (const { cost = 0, hold } of await chargesOf(caller.keyId)) {
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(cost).toBeLessThanOrEqual(hold);
        expect(Number.isInteger(cost)).toBe(true);
      }
    },
  );

  it('that is none has its request asked here, if it says so', async () => {
    const change = (lines: string[]) => ['{', ...lines.slice(1)];

    const { caller, batch } = await runWith(change, { on_failure: 'here' });

    expect(batch.request_counts).toEqual({ total: 5, completed: 5, failed: 0 });
    expect(upstream.asked).toHaveLength(1);
    await expectEachOnce(caller, batch);
  });

  it('keeps the field that its provider blames', async () => {
    const error = { message: 'No.', code: 'invalid_prompt', param: 'messages.0' };
    upstream.behaviour.answerOf = ({ body }) =>
      JSON.stringify(body).includes('question 1') ? { status: 400, body: { error } } : undefined;

    const { caller, batch } = await runWith((lines) => lines);

    const [told] = await batches.errors(caller, batch);
    expect(told?.response?.body.error).toMatchObject({
      code: 'invalid_prompt',
      param: 'messages.0',
    });
  });
});

describe('a batch that can’t be collected', () => {
  it('delivers what was paid by then, and holds nothing', async () => {
    const { results } = openaiBatches;
    openaiBatches.results = async function* (...asked) {
      let left = 2;
      for await (const result of results(...asked)) if (left-- > 0) yield result;
      throw new Error('This breaks each time');
    };
    const { caller, batch } = await runWith((lines) => lines, {}, 165).finally(() => {
      openaiBatches.results = results;
    });

    expect(batch.status).toBe('failed');
    const { outputs, errors } = await expectEachOnce(caller, batch);
    expect(outputs).toHaveLength(2);
    expect(errors.map(({ error }) => error?.code)).toEqual(Array(3).fill('internal_error'));
  });
});

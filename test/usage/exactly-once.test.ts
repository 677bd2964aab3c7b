import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConflictError } from '../../shared/http/errors.ts';
import { rebuildUsage } from '../../shared/usage/count.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { rollUpUsage } from '../../shared/usage/roll-up.ts';
import { cases } from '../support/run/cases.ts';
import { expectWithin } from '../support/run/expect-within.ts';
import { dayMs } from '../support/worlds/clock.ts';
import { type Fault, interleave, isStoreFault } from '../support/worlds/interleave.ts';
import { spoilShape } from '../support/worlds/spoil-usage.ts';
import { useStore } from '../support/worlds/store.ts';
import {
  endedCharge,
  eventOf,
  expectSums,
  expectUsage,
  newKeyId,
  usageOf,
} from '../support/worlds/usage-world.ts';

await useStore();

const kinds = [
  ['chat'],
  ['batch', 'batch:chat'],
  ['batch', 'batch:ocr'],
  ['batch', 'batch:pipeline'],
];

const aCharge = fc.record({
  key: fc.nat(1),
  model: fc.constantFrom('gpt-5', 'gpt-5-mini', 'a#b'),
  tags: fc.constantFrom(...kinds),
  daysAgo: fc.nat(2),
  secondsAgo: fc.nat(2),
  figures: fc.oneof(
    fc.record({
      cost: fc.nat(1_000_000_000),
      prompt_tokens: fc.nat(9999),
      completion_tokens: fc.nat(9999),
    }),
    fc.record({ cost: fc.nat(9999), images: fc.nat(9) }),
    fc.constant({ failed: true }),
  ),
});

const aFault = fc.record<Fault>({
  at: fc.nat(6),
  kind: fc.constantFrom('dies before', 'fails', 'answer lost'),
});

/** A batch of the stream, read once more or less, or a rebuild; and what goes wrong in its middle. */
const anAction = fc.record({
  kind: fc.constantFrom('roll up', 'roll up', 'rebuild', 'look'),
  from: fc.nat(30),
  size: fc.integer({ min: 1, max: 30 }),
  fault: fc.option(aFault, { nil: undefined }),
});

const aHistory = fc.record({
  charges: fc.array(aCharge, { minLength: 1, maxLength: 30, size: 'max' }),
  batches: fc.array(fc.array(anAction, { minLength: 1, maxLength: 3 }), { maxLength: 5 }),
  order: fc.array(fc.nat(99), { minLength: 1, maxLength: 20 }),
});

type History = typeof aHistory extends fc.Arbitrary<infer Value> ? Value : never;
type Action = History['batches'][number][number];

/** Lets a history happen to two keys; answers their charges, all of them told of at last. */
async function happen({ charges, batches, order }: History, check: (keyId: string) => unknown) {
  const keyIds = [newKeyId(), newKeyId()];
  const ended = await Promise.all(
    charges.map(({ key, daysAgo, secondsAgo, figures, ...rest }) =>
      endedCharge(keyIds[key] as string, {
        ended_at: new Date(Date.now() - daysAgo * dayMs - secondsAgo * 1000).toISOString(),
        ...figures,
        ...rest,
      }),
    ),
  );
  let picks = 0;
  for (const actions of batches) {
    const exits = await interleave(
      actions.map((action) => ({ run: () => perform(action, ended, keyIds), fault: action.fault })),
      () => order[picks++ % order.length] ?? 0,
      async () => {
        for (const keyId of keyIds) await check(keyId);
      },
    );
    for (const exit of exits) if (exit?.status === 'rejected') expectSurvivable(exit.reason);
  }
  expect((await rollUpUsage(eventOf(ended))).batchItemFailures).toEqual([]);
  return keyIds.map((keyId) => ({ keyId, of: ended.filter(({ key_id }) => key_id === keyId) }));
}

async function perform({ kind, from, size }: Action, ended: EndedCharge[], keyIds: string[]) {
  if (kind === 'roll up') await rollUpUsage(eventOf(ended.slice(from, from + size)));
  else await rebuildUsage(keyIds[from % 2] as string, kind === 'look');
}

function expectSurvivable(error: unknown): void {
  if (!(isStoreFault(error) || error instanceof ConflictError)) throw error;
}

it('counts each charge once, whatever is lost, doubled or told out of turn', async () => {
  await expectWithin(
    40_000,
    fc.asyncProperty(aHistory, async (history) => {
      const keys = await happen(history, async (keyId) => expectSums(await usageOf(keyId)));

      for (const { keyId, of } of keys) {
        expectUsage(await usageOf(keyId), of);
        expect(await rebuildUsage(keyId, true)).toMatchObject({ missed: 0, differences: [] });
      }
    }),
    cases(5, 40),
  );
});

it.each(['dies before', 'fails', 'answer lost'] as const)(
  'loses and doubles nothing by a fault at any of its requests, which %s',
  { tags: 'exhaustive', timeout: 60_000 },
  async (kind) => {
    const models = Array.from({ length: 60 }, (_, n) => `model-${n % 40}`);
    let isOver = false;
    for (let at = 0; !isOver; at += 1) {
      const keyId = newKeyId();
      const charges = await Promise.all(
        models.map((model, n) =>
          endedCharge(keyId, {
            ...{ model, cost: 1, tags: ['batch', 'batch:chat'] },
            ended_at: new Date(Date.now() - (n % 5) * 1000).toISOString(),
          }),
        ),
      );
      await rollUpUsage(eventOf(charges.slice(0, 4)));
      let requests = 0;
      const run = () => rollUpUsage(eventOf(charges));

      await interleave(
        [{ run, fault: { at, kind } }],
        () => 0,
        async () => {
          requests += 1;
          expectSums(await usageOf(keyId));
        },
      );
      isOver = requests <= at;
      await rollUpUsage(eventOf(charges));

      expectUsage(await usageOf(keyId), charges);
      expect(await rebuildUsage(keyId, true)).toMatchObject({ missed: 0, differences: [] });
    }
  },
);

it('answers for each key that failed the first of its records, and counts the others', async () => {
  const [broken, whole] = [newKeyId(), newKeyId()];
  const charges = await Promise.all(
    [whole, broken, whole, broken].map((keyId) => endedCharge(keyId)),
  );
  await spoilShape(broken);

  const { batchItemFailures } = await rollUpUsage(eventOf(charges));

  expect(batchItemFailures).toEqual([{ itemIdentifier: '2' }]);
  expectUsage(await usageOf(whole), [charges[0], charges[2]] as EndedCharge[]);
});

it('skips what has not ended', async () => {
  const keyId = newKeyId();
  const { ended_at: _, ...held } = await endedCharge(keyId);

  const answer = await rollUpUsage(eventOf([held as EndedCharge]));

  expect(answer).toEqual({ batchItemFailures: [] });
  expect(await usageOf(keyId)).toEqual({});
});

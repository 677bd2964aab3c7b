import fc from 'fast-check';
import { expect, it } from 'vitest';
import { completionOf } from '../../../../shared/jobs/results/keep-result.ts';
import { claimJobs } from '../../../../shared/jobs/work/claim-jobs.ts';
import { sweepJobs } from '../../../../shared/jobs/work/sweep.ts';
import { cases } from '../../../support/run/cases.ts';
import { expectWithin } from '../../../support/run/expect-within.ts';
import { hourMs, pass, useStoppedClock } from '../../../support/worlds/clock.ts';
import {
  allJobs,
  allWrites,
  answer,
  lane,
  listed,
  messageFor,
} from '../../../support/worlds/jobs.ts';
import { useStore } from '../../../support/worlds/store.ts';
import { type Action, anAction, perform, predict, type World } from './job-actions.ts';
import { JobModel, modelledOf } from './job-model.ts';
import { expectLegalWrites } from './legal-writes.ts';

const store = await useStore({ queues: true });

useStoppedClock();

it('keeps each job as the state machine says, whatever happens in whatever order', {
  tags: 'exhaustive',
}, async () => {
  const actions = fc.array(anAction, { maxLength: 40, size: 'max' });

  await expectWithin(
    40_000,
    fc.asyncProperty(actions, async (happening) => {
      await store.renew();
      const model = new JobModel();
      const world: World = { jobs: [], claims: [] };

      for (const action of happening) await happen(model, world, action);

      await expectEveryJobToEnd();
      expectLegalWrites(await allWrites());
    }),
    cases(4, 40),
  );
});

async function happen(model: JobModel, world: World, action: Action): Promise<void> {
  const expected = predict(model, world, action);
  const claimsBefore = world.claims.length;

  const outcome = await perform(world, action);
  if (action.kind === 'submit') for (const job of world.jobs.slice(-1)) model.submit(job);
  for (const claim of world.claims.slice(claimsBefore)) model.learnLease(claim);

  expect(outcome).toEqual(expected);
  expect(inOrder((await allJobs()).map(modelledOf))).toEqual(inOrder(model.items()));
  expect(await listed('ready')).toEqual(model.inTurn());
}

const inOrder = <Item extends { job_id?: string }>(items: Item[]) =>
  items.toSorted((a, b) => ((a.job_id ?? '') < (b.job_id ?? '') ? -1 : 1));

it('makes only legal moves when workers, sweeps and callers act at the same time', async () => {
  const script = fc.array(anAction, { minLength: 5, maxLength: 15, size: 'max' });
  const scripts = fc.array(script, { minLength: 3, maxLength: 4 });

  await expectWithin(
    40_000,
    fc.asyncProperty(scripts, async (workers) => {
      await store.renew();
      const world: World = { jobs: [], claims: [] };
      const ended: string[] = [];

      await Promise.all(
        workers.map(async (actions) => {
          for (const action of actions) {
            const { kind, picks } = action;
            const claim = world.claims[(picks[0] ?? 0) % world.claims.length];
            const tookEffect = await perform(world, action);
            if (kind.startsWith('complete') && claim && tookEffect === true)
              ended.push(claim.job_id);
          }
        }),
      );

      expect(new Set(ended).size, 'jobs completed, each once').toBe(ended.length);
      await expectEveryJobToEnd();
      expectLegalWrites(await allWrites());
    }),
    cases(4, 40),
  );
});

/** A sweep and a worker that doesn't fail bring every accepted job to its end. */
async function expectEveryJobToEnd(): Promise<void> {
  pass(hourMs);
  await sweepJobs();
  for (const job of await allJobs()) {
    const claims = await claimJobs(lane, [messageFor(job)]);
    await Promise.all(claims.map((claim) => completionOf(claim, answer)()));
  }

  const jobs = await allJobs();
  const open = jobs.filter(({ status }) => status === 'queued' || status === 'processing');
  expect(open).toEqual([]);
  expect(await listed('ready')).toEqual([]);
  expect(await listed('due')).toEqual([]);
}

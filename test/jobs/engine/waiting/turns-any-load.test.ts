import fc from 'fast-check';
import { expect, it } from 'vitest';
import { claimBest } from '../../../../shared/jobs/work/claim-jobs.ts';
import { cases } from '../../../support/run/cases.ts';
import { expectWithin } from '../../../support/run/expect-within.ts';
import { pass, useStoppedClock } from '../../../support/worlds/clock.ts';
import { keyed, lane, submittedBy } from '../../../support/worlds/jobs.ts';
import { useStore } from '../../../support/worlds/store.ts';

const store = await useStore();

useStoppedClock();

const [one, two] = [keyed('one'), keyed('two')];

/** A job with how many of its own key's were ahead of it, and how many of the other's were claimed since. */
interface Waiting {
  job_id: string;
  ahead: number;
  passedBy: number;
}

it('a job waits for no more of another key’s jobs than of its own, and one', async () => {
  const step = fc.constantFrom('one', 'two', 'claim', 'pass') as fc.Arbitrary<
    'one' | 'two' | 'claim' | 'pass'
  >;
  await expectWithin(
    40_000,
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }),
      async (steps) => {
        await store.renew();
        const waiting = { one: [] as Waiting[], two: [] as Waiting[] };
        const claim = async () => {
          const [job] = await claimBest(lane, 1);
          if (!job) return false;
          // A tag is a millisecond: a lane whose jobs began faster would owe time to those that it had last.
          pass(1);
          const key = job.key_id as 'one' | 'two';
          const own = waiting[key].shift();
          expect(own?.job_id, 'a key’s jobs in their order').toBe(job.job_id);
          expect(own?.passedBy, 'jobs of the other since').toBeLessThanOrEqual(
            (own?.ahead ?? 0) + 2,
          );
          for (const other of waiting[key === 'one' ? 'two' : 'one']) other.passedBy += 1;
          return true;
        };
        for (const what of steps) {
          if (what === 'claim') await claim();
          else if (what === 'pass') pass(1);
          else {
            const { job_id } = await submittedBy(what === 'one' ? one : two);
            waiting[what].push({ job_id, ahead: waiting[what].length, passedBy: 0 });
          }
        }
        while (await claim());

        expect([...waiting.one, ...waiting.two]).toEqual([]);
      },
    ),
    cases(4, 20),
  );
});

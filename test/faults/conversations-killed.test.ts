import { expect, it } from 'vitest';
import type { Caller } from '../../shared/http/caller.ts';
import type { ChatResult } from '../../shared/jobs/results/result.ts';
import { some } from '../support/run/cases.ts';
import { useFreshHour } from '../support/worlds/clock.ts';
import { expectBalanced } from '../support/worlds/document-use.ts';
import { useDocumentWorld } from '../support/worlds/document-world.ts';
import { allWrites } from '../support/worlds/jobs.ts';
import { runCounted, runInterrupted, runKilled, upTo } from '../support/worlds/killed-workers.ts';
import { chargesOf } from '../support/worlds/ledger-world.ts';

const world = await useDocumentWorld();

useFreshHour();

/** Answers of which the first fits the job's item, and the second lies in object storage. */
const sizes = [
  ['short', 10],
  ['long', 10_000],
] as const;

type Submitted = { caller: Caller; id: string };

const conversation = (length: number) => ({
  job_type: 'chat',
  inline: { messages: [{ role: 'user', content: 'x'.repeat(length) }] },
});

/** Before which of so many requests something befalls a worker, one for each. */
const steps = (requests: number) => some(3, upTo(requests));

/** Expects of each job that it is done, and that one answer to it was paid for: the one that it has. */
async function expectAnsweredOnce(jobs: Submitted[], length: number): Promise<void> {
  for (const { caller, id } of jobs) {
    const { status, error, result } = await world.read(caller, id);
    expect({ status, error }).toEqual({ status: 'done', error: null });
    const { content, cost_usd } = result as ChatResult;
    expect(content).toContain('x'.repeat(length));
    const settled = (await chargesOf(caller.keyId)).filter(({ status }) => status === 'settled');
    expect(settled.map(({ cost = 0 }) => cost / 1e9)).toEqual([cost_usd]);
  }
  await expectBalanced(jobs.map(({ caller }) => caller));
}

it.each(sizes)(
  'a worker killed before any of its requests has its job answered and paid once: a %s answer',
  async (_, length) => {
    await world.submitEach(1, conversation(length));
    const requests = await runCounted('chat');
    const jobs = await world.submitEach(steps(requests).length, conversation(length));

    const deaths = await runKilled('chat', steps(requests));
    await world.takeBack();
    await world.work();

    expect(requests).toBeGreaterThan(3);
    expect(deaths).toBe(jobs.length);
    await expectAnsweredOnce(jobs, length);
  },
);

it.each([
  ['was taken back', 'short', 10],
  ['was taken back', 'long', 10_000],
  ['was done by another', 'short', 10],
  ['was done by another', 'long', 10_000],
])(
  'a worker whose job %s before any of its requests has it paid once: a %s answer',
  { tags: 'exhaustive' },
  async (what, _, length) => {
    await world.submitEach(1, conversation(length));
    const requests = await runCounted('chat');
    const askedBefore = world.model.requests.length;
    const jobs: Submitted[] = [];

    for (const request of steps(requests)) {
      jobs.push(...(await world.submitEach(1, conversation(length))));
      const loseIt = async () => {
        await world.takeBack();
        if (what === 'was done by another') await world.runOnly('chat');
      };
      await runInterrupted('chat', [request], loseIt);
      await world.work();
    }

    const asked = world.model.requests.length - askedBefore;
    if (what === 'was taken back')
      expect(asked, 'an answer that was paid for is kept').toBe(jobs.length);
    const ids = jobs.map(({ id }) => id);
    const ends = (await allWrites()).flatMap(({ before, after }) =>
      after?.completed_at && !before?.completed_at ? after.job_id : [],
    );
    expect(ends.filter((id) => ids.includes(id)).sort()).toEqual(ids.sort());
    await expectAnsweredOnce(jobs, length);
  },
);

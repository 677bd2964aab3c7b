import { instant } from '../engine/item/job.ts';
import { makeReady } from '../engine/item/job-wait.ts';
import { type QueueName, queueNames, queueOf } from '../engine/item/queue-shards.ts';
import { notify } from '../work/notify.ts';
import { type OpenJob, openJobs } from './open-jobs.ts';
import { countMessages, moveDeadLettersBack } from './queue-messages.ts';

/** What was done for the jobs of a queue. */
export interface Redrive {
  lane: QueueName;
  /** How many dead letters were moved back. */
  moved: number;
  /** How many jobs whose wait was over became ready, as no message had woken a worker for them. */
  woken: number;
  /** How many jobs were rung for, as there were fewer messages than jobs that are ready. */
  rung: number;
}

/**
 * Brings workers back: moves dead letters back, readies jobs whose wait is over, and sends the messages that are
 * missing. Extra messages do no harm: each is only the right to run one job.
 */
export async function redrive(onStep: (step: string) => void = () => {}): Promise<Redrive[]> {
  const done = new Map<QueueName, Redrive>();
  for (const lane of queueNames) {
    onStep(`dead letters of ${lane}`);
    done.set(lane, { lane, moved: await moveDeadLettersBack(lane), woken: 0, rung: 0 });
  }
  onStep('jobs that wait');
  const ready = new Map<QueueName, number>();
  for await (const job of waitingJobs()) {
    const lane = queueOf(job.lane);
    const woken = job.turn === undefined && (await makeReady(job));
    const of = done.get(lane);
    if (woken && of) of.woken += 1;
    if (woken || job.turn !== undefined) ready.set(lane, (ready.get(lane) ?? 0) + 1);
  }
  const missing = new Map<QueueName, number>();
  for (const lane of queueNames) {
    missing.set(lane, (ready.get(lane) ?? 0) - (await countMessages(lane)).visible);
  }
  if ([...missing.values()].every((count) => count <= 0)) return [...done.values()];
  onStep('jobs without a message');
  for await (const job of waitingJobs()) {
    const lane = queueOf(job.lane);
    const count = missing.get(lane) ?? 0;
    const of = done.get(lane);
    if (job.turn === undefined || count <= 0 || !of) continue;
    const refused = await notify([job]);
    of.rung += 1 - refused.length;
    missing.set(lane, count - 1);
  }
  return [...done.values()];
}

/** The jobs that may be claimed now, or could be if they became ready. */
async function* waitingJobs(): AsyncGenerator<OpenJob> {
  for await (const jobs of openJobs()) {
    const now = instant(Date.now());
    yield* jobs.filter(({ status, ready_at }) => status === 'queued' && ready_at <= now);
  }
}

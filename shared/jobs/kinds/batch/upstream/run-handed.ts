import { ServiceError } from '../../../../http/errors.ts';
import { endStanding } from '../../../../ledger/settle-standing.ts';
import { BudgetExceededError } from '../../../../ledger/terms/limit-errors.ts';
import { errorWords, log } from '../../../../log.ts';
import { batchClientOf, protocolOf } from '../../../../models/batches/upstream-batches.ts';
import { refusesKey, toModelError } from '../../../../models/errors.ts';
import { forgetCredentials } from '../../../../models/upstream-credentials.ts';
import { upstreamNamed } from '../../../../models/upstreams/upstream.ts';
import { type ClaimedJob, withinWindow } from '../../../engine/item/job.ts';
import { postponeJob } from '../../../engine/item/job-wait.ts';
import { isPermanent } from '../../../engine/run/failure.ts';
import type { RunEnd } from '../../../engine/run/run-job.ts';
import { beginStep } from '../../../engine/run/watch.ts';
import type { FileLine } from '../../requests/file-line.ts';
import type { RequestFile } from '../../requests/request-file.ts';
import { collect } from './collect.ts';
import { findMade, handOn } from './hand-on.ts';
import { handedLine } from './handed-line.ts';
import { type Handed, type PartState, readHanded, standingIdOf } from './parts.ts';
import { planModels, planPart } from './plan-parts.ts';

const minuteMs = 60_000;

/** How long after a batch was made its upstream is waited for, at most: its own window is a day. */
const giveUpMs = 48 * 60 * minuteMs;

/** What a run finds of the lines that are handed on. */
export interface HandedRun {
  handed: Handed;
  /** Whether something of it is not over. */
  isOpen: boolean;
  /** How many lines of open parts the upstreams have answered, and how many failed there. */
  counts: { completed: number; failed: number };
  /** Why further lines aren't handed on yet. */
  lacking?: BudgetExceededError | undefined;
  /** Whether a line is no business of this run's own engine: it is handed on, or is to be. */
  leaves(line: FileLine): boolean;
}

/** Hands lines on, and keeps the results of lines that were handed on before. */
export async function runHanded(file: RequestFile): Promise<HandedRun> {
  const { job } = file;
  const handed = await readHanded(job);
  const models = await planModels(file, handed);
  const run: HandedRun = {
    handed,
    isOpen: false,
    counts: { completed: 0, failed: 0 },
    leaves: (line) => models.length > 0 && isLeft(line, handed),
  };
  if (models.length === 0) return run;
  // Results that have come free money that other parts wait for.
  await advanceAll(file, run);
  if (!job.stop_reason) {
    run.lacking = await planAll(file, models, handed);
    await advanceAll(file, run, ({ lastTry }) => !lastTry);
  }
  run.isOpen = handed.states.some(({ hasEnded }) => !hasEnded);
  return run;
}

/** Whether a line that is handed on is in no part that is over. */
function isLeft(line: FileLine, { states }: Handed): boolean {
  const request = handedLine(line)?.request;
  if (!request) return false;
  const its = states.find(
    ({ part }) =>
      part.model === request.model.id && part.from <= line.number && line.number <= part.to,
  );
  return !its?.hasEnded;
}

async function planAll(
  file: RequestFile,
  models: string[],
  handed: Handed,
): Promise<BudgetExceededError | undefined> {
  try {
    for (const model of models) {
      do await beginStep(file.job);
      while (await planPart(file, model, handed));
    }
  } catch (error) {
    if (error instanceof BudgetExceededError) return error;
    throw error;
  }
  return undefined;
}

/** Moves the open parts on. A provider that fails for a while is asked again later, which costs no retry. */
async function advanceAll(
  file: RequestFile,
  run: HandedRun,
  among: (state: PartState) => boolean = () => true,
): Promise<void> {
  for (const state of run.handed.states) {
    if (state.hasEnded || !among(state)) continue;
    try {
      await advance(file, state, run);
    } catch (error) {
      if (refusesKey(error)) forgetCredentials(upstreamNamed(state.part.upstream));
      const told = toModelError(error);
      if (file.signal.aborted || !(told instanceof ServiceError)) throw error;
      const refused = isPermanent(told) && !state.made;
      const { upstream } = state.part;
      const error_ = errorWords(told);
      log('warn', 'upstream batch failed', { job_id: file.job.job_id, upstream, error: error_ });
      if (!refused && !isGivenUp(state)) continue;
      await collect(file, state, { ...nothing, error: told });
    }
  }
}

/** Gives back the holds of parts that will not be collected. */
export async function giveBackHeld(job: ClaimedJob): Promise<void> {
  const { states } = await readHanded(job);
  for (const { part, hasEnded } of states) {
    if (!hasEnded) await endStanding(job.key_id, standingIdOf(job, part));
  }
}

const nothing = { id: '', isOver: true, isCancelled: false, completed: 0, failed: 0, results: [] };

const isGivenUp = ({ made, lastTry }: PartState) =>
  Date.now() - (made?.atMs ?? lastTry?.atMs ?? Date.now()) > giveUpMs;

async function advance(file: RequestFile, state: PartState, run: HandedRun): Promise<void> {
  const { job, signal } = file;
  const { part } = state;
  if (!state.made && job.stop_reason) {
    const found = await findMade(file, state);
    if (found === undefined) return collect(file, state, undefined);
    if (found === 'unclear' && !isGivenUp(state)) return;
  }
  if (!state.made && !(await handOn(file, state))) return;
  if (!state.made) return collect(file, state, undefined);
  const protocol = protocolOf(part.upstream);
  const client = await batchClientOf(part.upstream);
  const batch = await protocol.read(client, state.made.id, signal);
  if (batch.isOver) return collect(file, state, batch);
  run.counts.completed += batch.completed;
  run.counts.failed += batch.failed;
  if (job.stop_reason && !batch.isCancelled) await protocol.cancel(client, state.made.id, signal);
  if (isGivenUp(state)) await collect(file, state, undefined);
}

/** The end of a run that goes on when its upstreams' batches may be over: after a minute first, and up to ten later. */
export function waitForUpstream(job: ClaimedJob, { states }: Handed): RunEnd {
  const since = Math.min(
    ...states.flatMap(({ made, hasEnded }) => (made && !hasEnded ? made.atMs : [])),
  );
  const elapsedMs = Number.isFinite(since) ? Date.now() - since : 0;
  const waitMs = job.stop_reason
    ? minuteMs
    : Math.min(10 * minuteMs, Math.max(minuteMs, elapsedMs / 6));
  const untilMs = Date.now() + waitMs;
  const message = 'waiting: Its lines are in a batch of the model’s provider.';
  return () => postponeJob(job, message, job.stop_reason ? untilMs : withinWindow(job, untilMs));
}

/** Returns the end of a run that can only wait: no line is left to ask, and no upstream is done. Else undefined. */
export async function stillWaiting(job: ClaimedJob, signal: AbortSignal) {
  const handed = await readHanded(job);
  const open = handed.states.filter(({ hasEnded }) => !hasEnded);
  const isPlanned = handed.models?.every((model) =>
    handed.states.some(({ part }) => part.model === model && part.isLast),
  );
  if (!isPlanned || !handed.isRestDone || open.length === 0) return undefined;
  const counts = { completed: 0, failed: 0 };
  for (const { part, made } of open) {
    if (!made) return undefined;
    const client = await batchClientOf(part.upstream);
    const batch = await protocolOf(part.upstream)
      .read(client, made.id, signal)
      .catch(() => undefined);
    if (!batch || batch.isOver) return undefined;
    counts.completed += batch.completed;
    counts.failed += batch.failed;
  }
  return { end: waitForUpstream(job, handed), counts };
}

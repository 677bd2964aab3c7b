import { ServiceError } from '../../../../http/errors.ts';
import { holdStanding, payersNow } from '../../../../ledger/standing-hold.ts';
import { BudgetExceededError } from '../../../../ledger/terms/limit-errors.ts';
import type { Budgeted } from '../../../../ledger/terms/window.ts';
import { protocolOf } from '../../../../models/batches/upstream-batches.ts';
import { roomOf } from '../../../engine/item/job.ts';
import { saveStep, stepWrite } from '../../../engine/item/steps.ts';
import { isLinesFault } from '../../requests/answer-line.ts';
import { bytesOf } from '../../requests/file-line.ts';
import { failLine, linesIn, type RequestFile } from '../../requests/request-file.ts';
import { type HandedLine, handedLine, holdOf, tagOf, writtenLine } from './handed-line.ts';
import { endedName, type Handed, notePlan, type Part, partName, standingIdOf } from './parts.ts';

/** A key with this many times what a part can cost has no outputs limited. */
const plenty = 10;

/** Finds which models have lines that are handed on. Each is looked for once. */
export async function planModels(file: RequestFile, handed: Handed): Promise<string[]> {
  if (handed.models) return handed.models;
  const models = new Set<string>();
  for await (const line of handedLines(file, 1)) models.add(line.request.model.id);
  handed.models = [...models];
  await notePlan(file.job, handed.models);
  return handed.models;
}

/** The lines that are handed on, from one on. Each is in memory until the next is asked for. */
export async function* handedLines(file: RequestFile, from: number): AsyncGenerator<HandedLine> {
  for await (const line of linesIn(file)) {
    if (line.number < from || line.line?.trim() === '') continue;
    using _room = await roomOf(file.job, bytesOf(line));
    const handed = handedLine(line);
    if (handed) yield handed;
  }
}

/**
 * Makes a model's next part: as many lines as one batch may have and the budget covers. Its hold and note are one
 * transaction. Returns false if no lines are left. A line that the budget doesn't cover fails, or throws
 * `BudgetExceededError` to wait.
 */
export async function planPart(file: RequestFile, model: string, handed: Handed): Promise<boolean> {
  const { job } = file;
  const before = handed.states.filter(({ part }) => part.model === model);
  const last = before.at(-1)?.part;
  if (last?.isLast) return false;
  const found = await gather(file, model, (last?.to ?? 0) + 1);
  const name = partName(handed.states.length + 1);
  const { upstream, first } = found;
  const rest = { name, model, upstream, from: found.from };
  if (!first) {
    const part: Part = { ...rest, to: found.to, count: 0, isLimited: false, isLast: true };
    await saveStep(job, name, part);
    await saveStep(job, endedName(part), true);
    handed.states.push({ part, hasEnded: true });
    return false;
  }
  const use = { model, metadata: job.metadata };
  const fitted = coveredBy(found, await payersNow(job.key_id, use));
  if ('lacking' in fitted) {
    await failUncovered(file, first, fitted.least);
    return true;
  }
  const { holdNanoUsd, ...fits } = fitted;
  const part: Part = {
    ...rest,
    ...fits,
    isLast: found.isLast && fits.count === found.numbers.length,
  };
  const standing = {
    keyId: job.key_id,
    use,
    id: standingIdOf(job, part),
    holdNanoUsd,
    jobId: job.job_id,
  };
  await holdStanding(standing, [await stepWrite(job, name, part)]);
  handed.states.push({ part, hasEnded: false });
  return true;
}

/** Fails the next lines that the budget doesn't cover. Throws `BudgetExceededError` for one that waits. */
async function failUncovered(file: RequestFile, first: HandedLine, least: Budgeted): Promise<void> {
  for await (const handed of handedLines(file, first.line.number)) {
    const { line, request } = handed;
    if (request.model.id !== first.request.model.id || file.kept.done.has(line.number)) continue;
    const hold = holdOf(handed, true);
    if (hold <= least.available) return;
    const lacking = new BudgetExceededError(least, hold);
    if (!isLinesFault(lacking, file)) throw lacking;
    await failLine(file, line, request.custom_id, lacking);
  }
}

/** The lines that the next part of a model may have, and what each can cost, without a limit and with one. */
interface Gathered {
  from: number;
  to: number;
  upstream: string;
  first?: HandedLine;
  numbers: number[];
  holds: number[];
  limitedHolds: number[];
  isLast: boolean;
}

async function gather(file: RequestFile, model: string, from: number): Promise<Gathered> {
  const found: Gathered = {
    from,
    to: from,
    upstream: '',
    isLast: true,
    numbers: [],
    holds: [],
    limitedHolds: [],
  };
  let bytes = 0;
  for await (const handed of handedLines(file, from)) {
    file.signal.throwIfAborted();
    const { line, request, upstream } = handed;
    if (request.model.id !== model || file.kept.done.has(line.number)) continue;
    const size = await sizeOf(file, handed);
    if (size === undefined) continue;
    const { most } = protocolOf(upstream);
    if (found.numbers.length === most.requests || bytes + size > most.bytes) {
      return { ...found, isLast: false };
    }
    bytes += size;
    found.first ??= handed;
    found.numbers.push(line.number);
    found.holds.push(holdOf(handed, false));
    found.limitedHolds.push(holdOf(handed, true));
    Object.assign(found, { upstream, to: line.number });
  }
  return found;
}

/** How many bytes a line takes in the upstream's batch. One that its upstream can't be told has failed with that. */
async function sizeOf(file: RequestFile, handed: HandedLine) {
  const { line, request } = handed;
  try {
    return Buffer.byteLength(writtenLine(handed, true, tagOf(file.job, 'part_0000'))) + 1;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await failLine(file, line, request.custom_id, error);
    return undefined;
  }
}

type Payers = Awaited<ReturnType<typeof payersNow>>;

/** Returns the lines that the accounts cover; the error of the first line if they cover none. */
function coveredBy(
  { holds, limitedHolds, numbers }: Gathered,
  payers: Payers,
):
  | { to: number; count: number; holdNanoUsd: number; isLimited: boolean }
  | { least: Budgeted; lacking: true } {
  const least = payers.reduce((one, other) => (other.available < one.available ? other : one));
  const all = holds.reduce((sum, each) => sum + each, 0);
  const isLimited = least.available < plenty * all;
  let [count, holdNanoUsd] = [0, 0];
  for (const each of isLimited ? limitedHolds : holds) {
    if (holdNanoUsd + each > least.available) break;
    holdNanoUsd += each;
    count += 1;
  }
  if (count === 0) return { least, lacking: true };
  return { to: numbers[count - 1] ?? 0, count, holdNanoUsd, isLimited };
}

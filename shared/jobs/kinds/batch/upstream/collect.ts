import { otherModels } from '../../../../chat/other-models.ts';
import { ServiceError } from '../../../../http/errors.ts';
import type { Outcome } from '../../../../ledger/settle.ts';
import {
  callsAtOnce,
  endStanding,
  type StandingCall,
  settleStanding,
} from '../../../../ledger/settle-standing.ts';
import { log } from '../../../../log.ts';
import { atBatchPrice } from '../../../../models/batches/batch-price.ts';
import type {
  UnreadableResult,
  UpstreamBatch,
  UpstreamResult,
} from '../../../../models/batches/protocol.ts';
import { batchClientOf, protocolOf } from '../../../../models/batches/upstream-batches.ts';
import { CompletionMeter, type Metered } from '../../../../models/completion-meter.ts';
import type { DialectName } from '../../../../models/dialect-names.ts';
import { meteredEmbeddings } from '../../../../models/dialects/embeddings.ts';
import { meteredOf } from '../../../../models/dialects/metered.ts';
import { withoutEchoes } from '../../../../models/echoes.ts';
import { noCompletion, unavailable } from '../../../../models/errors.ts';
import { dialects } from '../../../../models/upstreams/wires.ts';
import { saveStep, stepWrite } from '../../../engine/item/steps.ts';
import { chargeSubjectOfLine } from '../../requests/answer-line.ts';
import { type LineStep, lineName } from '../../requests/file-line.ts';
import { failedStep, responseTo } from '../../requests/line-results.ts';
import { failLine, keptOutcomes, type RequestFile } from '../../requests/request-file.ts';
import { partLines } from './hand-on.ts';
import {
  type HandedLine,
  handedLine,
  holdOf,
  numberIn,
  tagOf,
  toldOf,
  triesHere,
} from './handed-line.ts';
import { openLineIndex } from './line-index.ts';
import { endedName, type Part, type PartState, standingIdOf } from './parts.ts';

/** A transaction has 4 MB at most. */
const maxGroupBytes = 2_500_000;

/**
 * Keeps and settles the results of a part that has ended, each once, then ends its hold. Failures may be asked here
 * instead. A line that is no result is skipped; requests without a result are told so.
 */
export async function collect(
  file: RequestFile,
  state: PartState,
  batch: UpstreamBatch | undefined,
): Promise<void> {
  const { job } = file;
  const { part } = state;
  const odd = batch && (await collectResults(file, part, batch));
  // Lines without a result are told by the stop of the batch, or tried here.
  if (!job.stop_reason && !triesHere(job)) {
    for await (const { line, request } of partLines(file, part)) {
      const { code, message } = batch?.error ?? {
        code: 'batch_expired',
        message: `The model’s provider did not answer this request in its batch${odd ? `, of whose results ${odd}` : ''}.`,
      };
      await failLine(file, line, request.custom_id, new ServiceError(503, code, message));
    }
  }
  const ended = await stepWrite(job, endedName(part), true);
  if (!(await endStanding(job.key_id, standingIdOf(job, part), [ended]))) {
    await saveStep(job, endedName(part), true);
  }
  state.hasEnded = true;
}

/** Keeps a part's results. Returns what is wrong with the first result of no request, or of one that has a result. */
async function collectResults(
  file: RequestFile,
  part: Part,
  batch: UpstreamBatch,
): Promise<string | undefined> {
  const { job, kept, signal } = file;
  const { upstream, isLimited } = part;
  const client = await batchClientOf(upstream);
  const index = await openLineIndex(file);
  const group = new Group(file, part);
  const seen = new Set<number>();
  let [odd, count]: [string | undefined, number] = [undefined, 0];
  try {
    for await (const result of protocolOf(upstream).results(client, batch, signal)) {
      signal.throwIfAborted();
      const handed = 'unreadable' in result ? undefined : await askedFor(index, file, part, result);
      const wrong = wrongWith(result, handed, seen);
      if (wrong) {
        odd ??= wrong;
        count += 1;
      }
      if (wrong || !handed || 'unreadable' in result) continue;
      seen.add(handed.line.number);
      if (kept.done.has(handed.line.number)) continue;
      const line = lineOutcome(handed, result, isLimited);
      if (line.step.failed && !line.isFinal && (triesHere(job) || job.stop_reason)) continue;
      await group.add(handed, line);
    }
  } finally {
    await index.close();
    // Results that came before the download broke off are kept.
    if (!signal.aborted) await group.settle();
  }
  const { job_id } = job;
  if (odd) log('warn', 'results of no request', { job_id, upstream, count, wrong: odd });
  return odd;
}

/** Reads the line that a result is of; undefined if its part has no such line. */
async function askedFor(
  index: Awaited<ReturnType<typeof openLineIndex>>,
  { job }: RequestFile,
  part: Part,
  result: UpstreamResult,
) {
  const number = numberIn(result.customId, tagOf(job, part.name));
  if (number === undefined || number < part.from || number > part.to) return undefined;
  const line = await index.read(number);
  const handed = line && handedLine(line);
  return handed?.request.model.id === part.model ? handed : undefined;
}

/** Returns why a result can't be taken: it has no request, or its request has a result. Undefined otherwise. */
function wrongWith(
  result: UpstreamResult | UnreadableResult,
  handed: HandedLine | undefined,
  seen: ReadonlySet<number>,
): string | undefined {
  if ('unreadable' in result) return result.unreadable;
  if (!handed) return 'one is of no request of this batch';
  return seen.has(handed.line.number) ? 'a request has two' : undefined;
}

/** A line's step, and its cost if it has one. */
interface LineOutcome {
  step: LineStep;
  outcome?: Outcome;
  /** Whether it is not to be tried again. */
  isFinal: boolean;
}

function lineOutcome(handed: HandedLine, result: UpstreamResult, isLimited: boolean): LineOutcome {
  const { line, request } = handed;
  if (result.error) {
    const { status, code, param, isInvalid } = result.error;
    const message = withoutEchoes(result.error.message, request.body);
    const error = new ServiceError(status, code, message, { param });
    return { step: failedStep(line, request.custom_id, error), isFinal: isInvalid };
  }
  const body = result.body ?? {};
  const meter = new CompletionMeter(handed.model, {
    ...handed.sized,
    ...limitIn(handed, isLimited),
  });
  try {
    const answer = answerIn(handed, body);
    meter.observe(metered(request.dialect, answer));
    meter.ended = true;
    if (!meter.finished) throw unavailable(noCompletion);
    const { toAnswer } = request;
    const outcome = outcomeOf(handed, meter);
    const { promptTokens, completionTokens, costNanoUsd: cost } = outcome;
    const shown = toAnswer ? toAnswer(answer) : answer;
    const output = responseTo(line, request.custom_id, 200, shown);
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
    return { step: { output, failed: false, usage, cost }, outcome, isFinal: true };
  } catch (error) {
    const told = error instanceof ServiceError ? error : unavailable(noCompletion, error);
    const step = failedStep(line, request.custom_id, told);
    return meter.sawAnything
      ? { step, outcome: outcomeOf(handed, meter), isFinal: true }
      : { step, isFinal: false };
  }
}

/** The limit that a line was handed on with, for the budget's sake. */
function limitIn(handed: HandedLine, isLimited: boolean): { max_tokens?: number } {
  const told = toldOf(handed, isLimited).body as Record<string, number>;
  const limit = told['max_tokens'] ?? told['max_completion_tokens'];
  return handed.sized.max_tokens || !isLimited || !limit ? {} : { max_tokens: limit };
}

/** An answer in the dialect of its line. */
function answerIn(handed: HandedLine, body: Record<string, unknown>): Record<string, unknown> {
  const { translated } = toldOf(handed, false);
  if (!translated) return body;
  const { from, to, question } = translated;
  return to.writeAnswer(from.readAnswer(body), question);
}

function metered(dialect: DialectName, answer: Record<string, unknown>): Metered {
  if (dialect === 'chat') return answer as Metered;
  if (dialect === 'embeddings') return meteredEmbeddings(answer);
  return meteredOf(dialects[dialect].readAnswer(answer));
}

const outcomeOf = ({ model, upstreamModel }: HandedLine, meter: CompletionMeter): Outcome =>
  meter.outcome(otherModels(model, upstreamModel, meter.answeredBy).map(atBatchPrice));

/** Lines that are settled together. */
class Group {
  private readonly file: RequestFile;
  private readonly part: Part;
  private calls = new Map<number, StandingCall & { failed: boolean }>();
  private bytes = 0;

  constructor(file: RequestFile, part: Part) {
    this.file = file;
    this.part = part;
  }

  async add(handed: HandedLine, { step, outcome }: LineOutcome): Promise<void> {
    const { job } = this.file;
    const { line, request, model } = handed;
    const hold = holdOf(handed, this.part.isLimited);
    if (outcome) capAt(hold, outcome, step);
    const write = await stepWrite(job, lineName(line.number), step);
    const size = Buffer.byteLength(JSON.stringify(write)) + 1_000;
    if (this.calls.size === callsAtOnce || this.bytes + size > maxGroupBytes) await this.settle();
    const { tags, ...subject } = chargeSubjectOfLine(job, request.dialect, request.metadata);
    this.calls.set(line.number, {
      subject: { model: model.id, ...subject, tags: [...tags, 'batch:upstream'] },
      holdNanoUsd: hold,
      outcome,
      writes: [write],
      failed: step.failed,
    });
    this.bytes += size;
  }

  /** Settles what was added. Lines that another worker has settled meanwhile are left out. */
  async settle(): Promise<void> {
    const { job, kept } = this.file;
    const standingId = standingIdOf(job, this.part);
    for (let tries = 0; this.calls.size > 0; tries += 1) {
      if (await settleStanding(job.key_id, standingId, [...this.calls.values()])) break;
      const { done } = await keptOutcomes(job);
      const settled = [...this.calls.keys()].filter((number) => done.has(number));
      if (settled.length === 0 && tries > 0) {
        throw new Error('What is to be settled is no longer held');
      }
      for (const number of settled) {
        this.calls.delete(number);
        kept.done.add(number);
      }
    }
    for (const [number, { failed }] of this.calls) {
      kept.done.add(number);
      if (failed) kept.failed += 1;
    }
    this.calls.clear();
    this.bytes = 0;
  }
}

/** Nothing costs more than was held for it. */
function capAt(hold: number, outcome: Outcome, step: LineStep): void {
  if (outcome.costNanoUsd <= hold) return;
  outcome.costNanoUsd = hold;
  if (outcome.figures === 'exact') outcome.figures = 'estimated';
  if (step.cost > hold) step.cost = hold;
}

import { memory, type Room } from '../http/byte-budget.ts';
import { raiseHold } from '../ledger/raise-hold.ts';
import { type Hold, isAlike, reserveByPlan } from '../ledger/reserve.ts';
import {
  type Kept,
  type Outcome,
  type Products,
  release,
  settle,
  settleWith,
} from '../ledger/settle.ts';
import type { ChargeSubject } from '../ledger/terms/charge.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { AnswerBytes } from '../models/answer-bytes.ts';
import { isOfModel } from '../models/beginnings.ts';
import type { Model } from '../models/catalogue.ts';
import { CompletionMeter } from '../models/completion-meter.ts';
import type { DialectName } from '../models/dialect-names.ts';
import { oneCreated } from '../models/dialects/chat/created.ts';
import type { Body, EndingReader } from '../models/dialects/dialect.ts';
import { contextLengthExceeded } from '../models/errors.ts';
import { readCircuits } from '../models/shared-circuits.ts';
import { textTokens } from '../models/text-tokens.ts';
import {
  costBounds,
  isCertainlyTooLong,
  type Known,
  type SizedRequest,
} from '../models/token-bounds.ts';
import { type Head, meteredAnswer } from '../models/upstreams/answer-head.ts';
import { readerOf, wires } from '../models/upstreams/dialects.ts';
import {
  mayAnswerElsewhere,
  type OpenedCompletion,
  openCompletion,
  type RequestBody,
} from '../models/upstreams/upstream.ts';
import { isNameOf, otherModels } from './other-models.ts';
import { leastOfOwnLimit, planDearest } from './plan-hold.ts';
import { knownOf, promptHash } from './told-prompt.ts';
import { UnansweredPrompts } from './unanswered-prompts.ts';
import { noteUses } from './use-notes.ts';
import { userOf } from './user-of.ts';

/** A model, and what it is asked. */
export interface Route {
  model: Model;
  body: RequestBody;
  /** The caller's own headers, for an upstream that speaks the dialect. */
  headers?: Record<string, string> | undefined;
  /** Ours, where the caller gave none: it is left out for an upstream that refuses it. */
  temperature?: number | undefined;
}

/** One model call: the request, the key that pays, and what the call is counted as. */
export interface ModelCall extends Route {
  keyId: string;
  /** The models that are asked in the same dialect, in order, if this one doesn't answer. */
  fallbacks?: readonly Route[];
  /** The dialect of the body, in which the response comes too; that of chat completions unless it says another. */
  dialect?: DialectName;
  subject: Omit<ChargeSubject, 'model'>;
  /** Aborts when the call's time is up: its function's, its research's, or its job's lease. */
  signal: AbortSignal;
  /** The pages that the call reads, to be counted on its charge. */
  images?: number;
  /** Whether it counts against the key's requests per minute; yes unless it says no. */
  asRequest?: boolean;
  /** Whether the caller's own limit of the output may be lowered where the key has little left. */
  mayBeShorter?: boolean;
  /** Where its answer is counted, if that is in memory for longer than the call. */
  room?: Room;
  /** The most bytes that its answer may have, if more than usual. */
  answerBytes?: number | undefined;
  /** Told what the call used, once that is settled. */
  onSettled?: (outcome: Outcome) => void;
}

/** A call that is held in the ledger and not made yet. */
export interface HeldCall {
  call: ModelCall;
  hold: Hold;
  /** The most tokens that the model may write, if the key has too little for all that it can. */
  maxTokens?: number | undefined;
  /** What it can cost by its bytes, if it is held by the tokens that its upstream told of its beginning. */
  mostNanoUsd?: number | undefined;
}

/** A call that is held in the ledger and under way. The reader of the response must end it. */
export interface MeteredCall extends Head {
  response: Response;
  /** The id of the model that answers, and where. */
  answers: { model: string; upstream: string };
  meter: CompletionMeter;
  room: Room;
  /** Bounds what of the response is in memory at once. */
  bytes: AnswerBytes;
  dialect: DialectName;
  /** Reads the response if it is streamed, and not a chat completion. */
  reader?: EndingReader | undefined;
  idleTimeoutMs: number;
  /** The limit that the key's budget sets to the output; undefined if the request's own, or the model's, applies. */
  maxTokens: number | undefined;
  /** Aborts when the call's time is up. */
  signal: AbortSignal;
  /** Notes what it has used so far, if that is worth it. The reader of a stream calls it as it reads. */
  noteUse(): void;
  /** The usage and cost of the whole response, undefined for none. It stays as first asked: read the response before. */
  outcome(): Promise<Outcome | undefined>;
  /** Settles the call by what the meter saw, or releases it if that is nothing. Later calls do nothing more. */
  end(): Promise<void>;
  /**
   * Settles the call in one transaction with its products' writes, and returns which; undefined if none could be
   * made, and then it is free. Throws if the call has ended or produced nothing.
   */
  endWith(products: Products): Promise<Kept>;
}

/** Holds a call, then makes it. Throws as `holdCall` and `openHeldCall` do. */
export const openMeteredCall = async (call: ModelCall) => openHeldCall(await holdCall(call));

/** A shorter prompt isn't worth the tables of a tokenizer. */
const leastCounted = 8_000;

/**
 * Holds the most that a call can cost with any of its models, or limits its output if the key has less. Throws `BudgetExceededError` or
 * `RequestsPerMinuteError`, and `ModelError` for a prompt that is too long.
 */
export async function holdCall(call: ModelCall): Promise<HeldCall> {
  const { keyId, subject, asRequest = true, mayBeShorter } = call;
  const { sized, limitName } = wires[dialectOf(call)];
  const routes = [call, ...(call.fallbacks ?? [])].map(({ model, body, headers, temperature }) => ({
    ...{ model, body, headers, temperature, request: sized(body) },
  }));
  const [first, ...others] = routes.filter((each) => !isCertainlyTooLong(each.model, each.request));
  if (!first) {
    const { id, contextWindow } = call.model;
    throw contextLengthExceeded(
      `The messages are longer than the ${contextWindow} tokens that ${id} takes.`,
    );
  }
  const wantedAt = performance.now();
  const user = userOf(call.body, dialectOf(call));
  const chargeSubject = { model: first.model.id, ...subject };
  const options = { canWait: subject.job_id !== undefined, mayBeShorter, limitName };
  const known: Known = {};
  const planKnown = () => planDearest([first, ...others], { ...options, known });
  const wide = planKnown();
  const counting = async () => {
    known.tokensOf = await textTokens(first.model);
    return planKnown();
  };
  const { vocabulary } = first.model;
  // A call in the Messages dialect is translated for these models, and the translation may join texts.
  const isCounted = vocabulary && dialectOf(call) !== 'messages';
  const isLong = (wide.promptTokens ?? 0) > leastCounted;
  // Another model's tokens of the prompt are not known.
  const isAlone = others.length === 0;
  const byCount = isAlone && isCounted && isLong ? { plenty: 10, closer: counting } : {};
  const goesOn = isAlone && first.request.messages.some(isOfModel);
  const telling = async () => {
    Object.assign(known, await knownOf(keyId, { ...first, dialect: dialectOf(call) }));
    if (!isAlone) delete known.told;
    return { ...planKnown(), ...byCount };
  };
  const { max_tokens: own } = first.request;
  const canBeLimited = own ? mayBeShorter && own > leastOfOwnLimit : true;
  const byLast = { closer: telling, ...(!goesOn && { plenty: 10 }) };
  const plan = { ...wide, ...(goesOn || canBeLimited ? byLast : byCount) };
  const [{ hold, chosen }] = await Promise.all([
    reserveByPlan(keyId, plan, chargeSubject, { asRequest, user }),
    readCircuits(),
  ]);
  measure({ AddedMs: Math.round(performance.now() - wantedAt) });
  const { maxTokens } = chosen;
  const isKnown = known.told !== undefined || known.tokensOf !== undefined;
  const mostNanoUsd = isKnown
    ? costBounds(first.model, first.request).maxNanoUsd(maxTokens)
    : undefined;
  const limited = ({ request, ...route }: (typeof routes)[number]): Route => {
    if (maxTokens === undefined) return route;
    const limit = Math.min(maxTokens, request.max_tokens || route.model.maxOutputTokens);
    return { ...route, body: { ...route.body, [limitName]: limit } };
  };
  // What another model's limit counts is not held there, so that model is not asked.
  const alike = others.filter(({ model }) => isAlike(hold, model.id));
  const held = { ...call, ...limited(first), fallbacks: alike.map(limited) };
  return { call: held, hold, mostNanoUsd, ...(maxTokens !== undefined && { maxTokens }) };
}

const dialectOf = ({ dialect = 'chat' }: ModelCall) => dialect;

/** A call's request as it is measured. */
export const sizedRequest = (call: ModelCall): SizedRequest =>
  wires[dialectOf(call)].sized(call.body);

/** The model that a call asks now. */
interface Attempt {
  model: Model;
  meter: CompletionMeter;
  headers?: Record<string, string> | undefined;
  /** The upstream that has answered, and its name for the model. */
  asked?: { upstream: string; model: string };
}

/**
 * Makes a held call. Throws `ModelError` if no upstream of its models answers, and releases the hold; but a prompt that
 * an upstream took, and did not answer in time, is paid.
 */
export async function openHeldCall(held: HeldCall): Promise<MeteredCall> {
  const { call, hold, maxTokens, mostNanoUsd } = held;
  const { keyId, body, signal } = call;
  const dialect = dialectOf(call);
  const unanswered = new UnansweredPrompts(hold, mostNanoUsd);
  const attempt = attemptOf(call, dialect);
  const used = () => usedSoFar(attempt, unanswered);
  const notes = noteUses(hold, used);
  const room = call.room ?? memory().room(keyId);
  const close = () => {
    if (!call.room) room[Symbol.dispose]();
  };
  const onTooLarge = (unread: number) => attempt.meter.addUnread(unread);
  const bytes = new AnswerBytes(room, { mostBytes: call.answerBytes, signal, onTooLarge });
  const reach = () => outcomeOf(attempt, held, used(), unanswered);
  const settlement = () => settlementOf(hold, notes, reach, call, close);
  try {
    const { upstream, ...opened } = await openInTurn(call, dialect, attempt, bytes, unanswered);
    const { meter } = attempt;
    return {
      ...{ ...opened, signal, meter, dialect, maxTokens, room, bytes },
      answers: { model: attempt.model.id, upstream },
      ...(body.stream && { reader: readerOf(dialect) }),
      noteUse: () => notes.look(),
      ...settlement(),
    };
  } catch (error) {
    attempt.meter.ended = true;
    await settlement().end();
    throw error;
  }
}

const attemptOf = ({ model, body, headers }: Route, dialect: DialectName): Attempt => ({
  ...{ model, headers },
  meter: new CompletionMeter(model, wires[dialect].sized(body)),
});

/** Asks a call's models until one answers, each if the key can pay for it beside the prompts that others took. */
async function openInTurn(
  { keyId, signal, fallbacks = [], ...first }: ModelCall,
  dialect: DialectName,
  attempt: Attempt,
  bytes: AnswerBytes,
  unanswered: UnansweredPrompts,
): Promise<OpenedCompletion> {
  const rest = [...fallbacks];
  for (let route: Route = first; ; ) {
    const { model, body, headers, temperature } = route;
    Object.assign(attempt, attemptOf(route, dialect));
    unanswered.asks(attempt.meter.outcome());
    try {
      const question = { dialect, body, headers, temperature };
      const opened = await openCompletion(model, keyId, question, signal, bytes, unanswered);
      attempt.asked = opened;
      return opened;
    } catch (error) {
      const next = rest.shift();
      const isOver = signal.aborted || !next || !mayAnswerElsewhere(error);
      if (isOver || !(await unanswered.coverNext())) throw error;
      log('warn', 'fallback asked', { model: model.id, fallback: next.model.id });
      route = next;
    }
  }
}

/** What a call has used so far; undefined if its model ended it without output. */
function usedSoFar(
  { model, meter, asked }: Attempt,
  unanswered: UnansweredPrompts,
): Outcome | undefined {
  if (!meter.sawAnything && meter.ended) return undefined;
  const others = asked === undefined ? [] : otherModels(model, asked.model, meter.answeredBy);
  return unanswered.beside(meter.outcome(others));
}

/**
 * The use and cost of a call; undefined if its model ended it without output. A silent model's prompt is paid. A
 * longer output than allowed is paid as far as the key can: the hold is raised. Other reports cost no more than was
 * held.
 */
async function outcomeOf(
  attempt: Attempt,
  { call, hold, mostNanoUsd }: HeldCall,
  outcome: Outcome | undefined,
  unanswered: UnansweredPrompts,
): Promise<Outcome | undefined> {
  const { model, meter } = attempt;
  if (!outcome) return withImages(unanswered.alone, call);
  if (model.id !== hold.charge.model) outcome.model = model.id;
  const { promptTokens, completionTokens, costNanoUsd } = outcome;
  if (mostNanoUsd !== undefined && costNanoUsd > hold.charge.hold) {
    log('warn', 'prompt longer than was told', { model: model.id, promptTokens });
    await raiseTo(hold, Math.min(costNanoUsd, unanswered.costNanoUsd + mostNanoUsd));
  }
  const isTooMuch = costNanoUsd > hold.charge.hold;
  if (meter.isUnbelievable || (isTooMuch && !meter.isBeyondLimit)) {
    log('warn', 'unbelievable usage', { model: model.id, promptTokens, completionTokens });
    measure({ UnbelievableUsage: 1 }, { model: model.id });
  }
  if (meter.isBeyondLimit) {
    log('warn', 'output beyond its limit', { model: model.id, promptTokens, completionTokens });
    measure({ OutputBeyondLimit: 1 }, { model: model.id });
    await raiseTo(hold, Math.min(costNanoUsd, unanswered.costNanoUsd + meter.outputNanoUsd()));
  }
  if (costNanoUsd > hold.charge.hold) {
    outcome.costNanoUsd = hold.charge.hold;
    if (outcome.figures === 'exact') outcome.figures = 'estimated';
  }
  if (outcome.figures === 'exact') Object.assign(outcome, foundBy(attempt, call, hold));
  return withImages(outcome, call);
}

/** The hash that finds the prompt again by its told tokens; none if another model answered in its place. */
function foundBy({ meter, headers, asked }: Attempt, call: ModelCall, hold: Hold) {
  const { request, answeredBy } = meter;
  if (!asked || (answeredBy !== undefined && !isNameOf(asked.model, answeredBy))) return {};
  const question = { dialect: dialectOf(call), headers, request };
  const hash = promptHash(hold, call.keyId, asked, question);
  return hash === undefined ? {} : { promptHash: hash };
}

const withImages = (outcome: Outcome | undefined, { images }: ModelCall) =>
  outcome && { ...outcome, ...(images !== undefined && { images }) };

/** Raises a hold to what a call cost, as far as the key has that. If the store fails, the call costs what was held. */
async function raiseTo(hold: Hold, nanoUsd: number): Promise<void> {
  const more = nanoUsd - hold.charge.hold;
  if (more <= 0) return;
  try {
    await raiseHold(hold, more, { orLess: true });
  } catch (error) {
    log('error', 'hold not raised', { key_id: hold.charge.key_id, ...errorFields(error) });
  }
}

/** Makes the functions that end a call, of which the first counts. It also ends when its time is up, as nobody else might. */
function settlementOf(
  hold: Hold,
  notes: ReturnType<typeof noteUses>,
  reach: () => Promise<Outcome | undefined>,
  { signal: timeIsUp, onSettled }: ModelCall,
  close: () => void,
): Pick<MeteredCall, 'outcome' | 'end' | 'endWith'> {
  let ended: Promise<Kept> | undefined;
  let known: Promise<Outcome | undefined> | undefined;
  const outcome = () => {
    known ??= reach();
    return known;
  };
  const once = (ending: () => Promise<Kept>) => {
    timeIsUp.removeEventListener('abort', onTimeIsUp);
    notes.end();
    ended ??= ending().finally(close);
    return ended;
  };
  const end = async () => {
    await once(async () => {
      const reached = await outcome();
      await (reached ? settle(hold, reached) : release(hold));
      if (reached) onSettled?.(reached);
      return undefined;
    });
  };
  const endWith = async (products: Products) => {
    const reached = await outcome();
    if (!reached || ended) throw new Error('A call that has ended can produce nothing more');
    return once(() => settleWith(hold, reached, products));
  };
  const onTimeIsUp = () => {
    end().catch((error: unknown) => log('error', 'call not settled', errorFields(error)));
  };
  timeIsUp.addEventListener('abort', onTimeIsUp);
  return { outcome, end, endWith };
}

/** Meters a response that isn't streamed, of which all was read before. */
export function readCompletion({ whole, meter, dialect }: MeteredCall): Head['whole'] & {} {
  if (!whole) throw new Error('A stream is read in pieces');
  meter.ended = true;
  meter.observe(meteredAnswer(dialect, whole.value));
  const timed = dialect === 'chat' && whole.value ? oneCreated()(whole.value as Body) : undefined;
  return timed ? { text: JSON.stringify(timed), value: timed } : whole;
}

import { memory, type Room } from '../http/byte-budget.ts';
import { log } from '../log.ts';
import { AnswerBytes } from '../models/answer-bytes.ts';
import { CompletionMeter } from '../models/completion-meter.ts';
import type { DialectName } from '../models/dialect-names.ts';
import { oneCreated } from '../models/dialects/chat/created.ts';
import type { Body, EndingReader } from '../models/dialects/dialect.ts';
import { type Head, meteredAnswer } from '../models/upstreams/answer-head.ts';
import {
  mayAnswerElsewhere,
  type OpenedCompletion,
  openCompletion,
} from '../models/upstreams/fail-over.ts';
import { readerOf, wires } from '../models/upstreams/wires.ts';
import { dialectOf, type HeldCall, type ModelCall, type Route } from './hold-call.ts';
import {
  type Attempt,
  outcomeOf,
  type Settlement,
  settlementOf,
  usedSoFar,
} from './settle-call.ts';
import { UnansweredPrompts } from './unanswered-prompts.ts';
import { noteUses } from './use-notes.ts';

/** A call that is held in the ledger and under way. The reader of the response must end it. */
export interface MeteredCall extends Head, Settlement {
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
      ...opened,
      signal,
      meter,
      dialect,
      maxTokens,
      room,
      bytes,
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
  model,
  headers,
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

/** Meters a response that isn't streamed, of which all was read before. */
export function readCompletion({ whole, meter, dialect }: MeteredCall): Head['whole'] & {} {
  if (!whole) throw new Error('A stream is read in pieces');
  meter.ended = true;
  meter.observe(meteredAnswer(dialect, whole.value));
  const timed = dialect === 'chat' && whole.value ? oneCreated()(whole.value as Body) : undefined;
  return timed ? { text: JSON.stringify(timed), value: timed } : whole;
}

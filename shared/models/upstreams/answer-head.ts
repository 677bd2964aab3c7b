import type { AnswerBytes } from '../answer-bytes.ts';
import type { Metered } from '../completion-meter.ts';
import type { DialectName } from '../dialect-names.ts';
import type { AnswerEvent, Body } from '../dialects/dialect.ts';
import { meteredEmbeddings } from '../dialects/embeddings.ts';
import { meteredOf } from '../dialects/metered.ts';
import { parsedEvent } from '../dialects/translate.ts';
import {
  AnswerTooLargeError,
  brokeOff,
  type ModelError,
  noCompletion,
  reportedFailure,
  unavailable,
} from '../errors.ts';
import { dataOf, EventSplitter, eventsIn } from '../event-splitter.ts';
import { within } from '../idle-timeout.ts';
import { OutputCount } from '../output-count.ts';
import { dialects, readerOf } from './wires.ts';

/** An answer that is read, in the dialect that its caller asked in. */
interface Answer {
  response: Response;
  dialect: DialectName;
  isStreamed: boolean;
  idleTimeoutMs: number;
  signal: AbortSignal;
  bytes: AnswerBytes;
}

/** What was read of an answer's body: what a stream has begun with, or an answer in one piece, as text and as it is parsed. */
export interface Head {
  head?: Uint8Array[];
  whole?: { text: string; value: unknown };
}

/**
 * Reads an answer up to its first text, thought or tool argument, or its end; one in one piece whole. The caller has
 * got nothing by then, so another upstream may be asked. Throws for an error, a break or an end before that, and
 * calls `onTaken` if the upstream may bill the prompt.
 */
export async function readHead(answer: Answer, onTaken: () => void): Promise<Head> {
  const { response, dialect, isStreamed, idleTimeoutMs, signal, bytes } = answer;
  const reader = response.body?.getReader();
  const head: Uint8Array[] = [];
  let length = 0;
  const shown = isStreamed ? shownIn(dialect) : undefined;
  const state = { isTaken: true };
  try {
    for (;;) {
      const read = reader && (await within(reader.read(), idleTimeoutMs, signal));
      if (!read || read.done) break;
      head.push(read.value);
      length += read.value.length;
      if (shown?.(read.value, state)) return { head };
      await bytes.hold(length);
    }
    bytes.keep(length);
    state.isTaken = false;
    if (!shown) return { whole: wholeAnswer(dialect, Buffer.concat(head).toString()) };
    if (!shown(undefined, state)) throw unavailable(brokeOff);
    return { head };
  } catch (error) {
    if (state.isTaken && !(error instanceof AnswerTooLargeError)) onTaken();
    // The body may be silent for longer than a caller waits.
    reader?.cancel().catch(() => {});
    throw error;
  } finally {
    reader?.releaseLock();
  }
}

type Shown = (chunk: Uint8Array | undefined, state: { isTaken: boolean }) => boolean;

/** Makes what takes a stream chunk by chunk, undefined at its end, and returns whether it has shown an answer. */
function shownIn(dialect: DialectName): Shown {
  const splitter = new EventSplitter();
  const reader = readerOf(dialect);
  const show = (event: Body): boolean => {
    if (!reader && event['error']) throw reportedFailure(event['error'], brokeOff);
    const events = reader?.read(event) ?? [];
    const failed = events.find((each) => each.is === 'error');
    if (failed) return isPassedOn(dialect, reportedFailure(failed, brokeOff));
    return reader ? reader.isOver || events.some(isContent) : isContentful(event);
  };
  return (chunk, state) => {
    const bytes = chunk ? splitter.push(chunk) : splitter.rest();
    for (const text of bytes.length > 0 ? eventsIn(bytes.toString()) : []) {
      const data = dataOf(text);
      if (data === undefined || data === '[DONE]') continue;
      const event = parsedEvent(data);
      state.isTaken = false;
      if (show(event)) return true;
      state.isTaken = true;
    }
    return false;
  };
}

/**
 * Throws for an upstream's error, or passes it on if the request is to blame and clients look for it in the stream,
 * as Codex does.
 */
function isPassedOn(dialect: DialectName, failure: ModelError): true {
  if (dialect === 'responses' && failure.statusCode === 400) return true;
  throw failure;
}

const contentKinds: unknown[] = ['text', 'thought', 'signature', 'refusal', 'toolInput'];

const isContent = ({ is }: AnswerEvent) => contentKinds.includes(is);

/** Whether a chunk of a chat completion has content of any kind, or says why a choice ended. A name of a tool is none. */
function isContentful({ choices }: Body): boolean {
  const output = new OutputCount();
  return (Array.isArray(choices) ? (choices as Metered['choices'] & object) : []).some((choice) => {
    const { delta, message, finish_reason } = choice ?? {};
    const { tool_calls, ...said } = delta ?? message ?? {};
    const calls = (Array.isArray(tool_calls) ? tool_calls : []) as (Body | null)[];
    const inputs = calls.map((call) => {
      const { function: called, custom } = (call ?? {}) as Record<string, Body | null | undefined>;
      return { input: called?.['arguments'] ?? custom?.['input'] };
    });
    return Boolean(finish_reason) || output.add(0, { ...said, inputs });
  });
}

/** Parses an answer in one piece. Throws for what is none. */
function wholeAnswer(dialect: DialectName, text: string): Head['whole'] & {} {
  const value: unknown = JSON.parse(text);
  const answer = meteredAnswer(dialect, value);
  if (answer?.error && !answer.choices?.length) throw reportedFailure(answer.error, noCompletion);
  const isWhole = answer?.choices?.some((choice) => choice?.finish_reason || choice?.message);
  if (!isWhole) throw unavailable(noCompletion);
  return { text, value };
}

/** An answer in one piece as the meter reads it. Throws `ModelError` for what isn't one. */
export function meteredAnswer(dialect: DialectName, answer: unknown): Metered | null {
  if (dialect === 'chat') return answer as Metered | null;
  if (typeof answer !== 'object' || answer === null) throw unavailable(noCompletion);
  if (dialect === 'embeddings') return meteredEmbeddings(answer);
  return meteredOf(dialects[dialect].readAnswer(answer as Body));
}

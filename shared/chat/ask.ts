import type { Kept, Outcome, Products } from '../ledger/settle.ts';
import type { Metered } from '../models/completion-meter.ts';
import { noCompletion, toModelError, unavailable } from '../models/errors.ts';
import { textOf } from '../models/token-bounds.ts';
import { type HeldCall, holdCall, type ModelCall } from './hold-call.ts';
import { type MeteredCall, openHeldCall, readCompletion } from './metered-call.ts';

/** A model's answer as a whole; `cost` in nano-dollars. */
export interface Answer {
  content: string | null;
  finish_reason: string;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** The limit that the key's budget set to it, in tokens. */
  max_tokens?: number;
  cost: number;
}

/** Makes the answer that a caller gets of an upstream's, as that was parsed. */
export type ToAnswer = (answer: unknown) => object;

type Used = Pick<Answer, 'usage' | 'cost'>;

/** An answer in the dialect of its request, as its caller gets it. */
export interface WholeAnswer extends Used {
  body: object;
}

/**
 * Asks a model for one completion, held and settled. With `keep` the call is settled in one transaction with those
 * writes, and `kept` says which; undefined if they were written before, and then the call is free. Throws as
 * `holdCall` and `openHeldCall` do, and `ModelError` if the answer breaks off.
 */
export async function ask(call: ModelCall, keep?: Keep<Answer>): Promise<Answer & { kept: Kept }> {
  return askHeld(await holdCall(call), keep);
}

type Keep<Read> = (read: Read) => Promise<Products>;

/** Asks as `ask` does, with a call that is held already. */
export const askHeld = async (
  held: HeldCall,
  keep?: Keep<Answer>,
): Promise<Answer & { kept: Kept }> => readAndSettle(await openHeldCall(held), completionIn, keep);

/** Asks as `ask` does, in any dialect. */
export const askWhole = async (
  call: ModelCall,
  toAnswer: ToAnswer | undefined,
  keep: Keep<WholeAnswer>,
): Promise<WholeAnswer & { kept: Kept }> =>
  readAndSettle(
    await openHeldCall(await holdCall(call)),
    (whole, used, metered) => {
      const { value } = whole;
      if (metered.dialect === 'chat') completionIn(whole, used, metered);
      return { body: toAnswer ? toAnswer(value) : (value as object), ...used };
    },
    keep,
  );

type Whole = ReturnType<typeof readCompletion>;

/** Reads an answer in one piece. Throws if it is none. */
type Read<Wanted> = (whole: Whole, used: Used, metered: MeteredCall) => Wanted;

/** Reads an answer in one piece, and settles its call. Throws `ModelError` if it is none. */
export async function readAndSettle<Wanted extends object>(
  metered: MeteredCall,
  read: Read<Wanted>,
  keep?: Keep<Wanted>,
): Promise<Wanted & { kept: Kept }> {
  try {
    const whole = readCompletion(metered);
    const outcome = await metered.outcome();
    if (!outcome || !metered.meter.finished) throw unavailable(noCompletion);
    const wanted = read(whole, usedBy(outcome), metered);
    const kept = keep && (await metered.endWith(await keep(wanted)));
    return { ...wanted, kept };
  } catch (error) {
    throw toModelError(error);
  } finally {
    await metered.end();
  }
}

const usedBy = ({ costNanoUsd, promptTokens, completionTokens }: Outcome): Used => ({
  usage: {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  },
  cost: costNanoUsd,
});

function completionIn({ value }: Whole, used: Used, { maxTokens }: MeteredCall): Answer {
  const { message, finish_reason } = (value as Metered | null)?.choices?.[0] ?? {};
  if (!message) throw unavailable(noCompletion);
  return {
    content: message['content'] == null ? null : textOf(message),
    finish_reason: finish_reason ?? 'stop',
    ...used,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  };
}

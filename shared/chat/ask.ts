import type { Kept, Products } from '../ledger/settle.ts';
import { noCompletion, toModelError, unavailable } from '../models/errors.ts';
import { textOf } from '../models/token-bounds.ts';
import {
  type HeldCall,
  holdCall,
  type ModelCall,
  openHeldCall,
  readCompletion,
} from './metered-call.ts';

/** A model's answer as a whole; `cost` in nano-dollars. */
export interface Answer {
  content: string | null;
  finish_reason: string;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  /** The limit that the key's budget set to it, in tokens. */
  max_tokens?: number;
  cost: number;
}

interface Completion {
  choices?: { message?: Parameters<typeof textOf>[0]; finish_reason?: string }[];
}

/**
 * Asks a model for one completion, held and settled for this attempt. With `keep` the call is settled in one
 * transaction with the writes of what came of it, and `kept` says which: undefined if that was written before, and then
 * the call costs nothing. Without `keep`, `kept` is always undefined, and the call is paid. Throws as `openMeteredCall`
 * does, and `ModelError` for an answer that breaks off.
 */
export async function ask(call: ModelCall, keep?: Keep): Promise<Answer & { kept: Kept }> {
  return askHeld(await holdCall(call), keep);
}

type Keep = (answer: Answer, completion: object) => Promise<Products>;

/** Asks as `ask` does, with a call that is held already. */
export async function askHeld(held: HeldCall, keep?: Keep): Promise<Answer & { kept: Kept }> {
  const metered = await openHeldCall(held);
  try {
    const completion = JSON.parse(await readCompletion(metered)) as Completion | null;
    const choice = completion?.choices?.[0];
    const outcome = await metered.outcome();
    if (!completion || !choice?.message || !outcome) throw unavailable(noCompletion);
    const { costNanoUsd, promptTokens, completionTokens } = outcome;
    const answer = {
      content: choice.message.content == null ? null : textOf(choice.message),
      finish_reason: choice.finish_reason ?? 'stop',
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
      ...(metered.maxTokens !== undefined && { max_tokens: metered.maxTokens }),
      cost: costNanoUsd,
    };
    const kept = keep && (await metered.endWith(await keep(answer, completion)));
    return { ...answer, kept };
  } catch (error) {
    throw toModelError(error);
  } finally {
    await metered.end();
  }
}

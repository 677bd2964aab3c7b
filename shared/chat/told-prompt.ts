import { leftAfter } from '../ledger/left-after.ts';
import { lastCharges } from '../ledger/read-charges.ts';
import type { Hold } from '../ledger/reserve.ts';
import { errorFields, log } from '../log.ts';
import { beginningsOf } from '../models/beginnings.ts';
import type { Model } from '../models/catalogue.ts';
import type { DialectName } from '../models/dialect-names.ts';
import { inOrder } from '../models/draw.ts';
import type { Known, SizedRequest } from '../models/token-bounds.ts';
import type { RequestBody } from '../models/upstreams/model-request.ts';

/** A request to a model, and how it is made. */
interface Question {
  dialect: DialectName;
  headers?: Record<string, string> | undefined;
  request: SizedRequest;
}

type Upstream = Pick<Model['upstreams'][number], 'upstream' | 'model'>;

const beginningsAt = (
  { upstream, model }: Upstream,
  keyId: string,
  { dialect, headers, request }: Question,
) => beginningsOf(request, [keyId, dialect, headers, upstream, model]);

/** How many of a key's last calls are looked at: some 20 KB, so that 20 conversations at once find theirs. */
const lastCalls = 40;
const used = ['model', 'prompt_hash', 'prompt_tokens', 'completion_tokens'] as const;

/**
 * Returns what a key's last calls tell of a further one: the token count that the first upstream reported for the longest
 * earlier prompt that this one continues, and the longest answer of each model.
 */
export async function knownOf(
  keyId: string,
  { model, body, ...question }: Question & { model: Model; body: RequestBody },
): Promise<Known> {
  const [first] = inOrder(model.upstreams, keyId, body);
  const beginnings = first ? beginningsAt(first, keyId, question) : [];
  const tokens = new Map<string | undefined, number>();
  const written = new Map<string | undefined, number>();
  try {
    for (const charge of await lastCharges(keyId, used, lastCalls)) {
      const { prompt_tokens, completion_tokens } = charge;
      if (prompt_tokens) tokens.set(charge.prompt_hash, prompt_tokens);
      // A prompt that was paid without an answer says nothing of how long answers are.
      if (!completion_tokens) continue;
      written.set(charge.model, Math.max(completion_tokens, written.get(charge.model) ?? 0));
    }
  } catch (error) {
    log('warn', 'last calls not read', { key_id: keyId, ...errorFields(error) });
  }
  const told = beginnings.findLast(({ hash }) => tokens.has(hash));
  return { written, told: told && { ...told, tokens: Number(tokens.get(told.hash)) } };
}

/** A key with this many times what a call holds needs no closer holds soon: they begin at a hundred. */
const plenty = 1_000;

/** Returns the hash that finds a prompt whose tokens its upstream told; undefined where no later call can use it. */
export function promptHash(
  hold: Hold,
  keyId: string,
  upstream: Upstream,
  question: Question,
): string | undefined {
  const left = leftAfter(hold, Date.now());
  if (left && left.availableNanoUsd > plenty * hold.charge.hold) return undefined;
  const whole = beginningsAt(upstream, keyId, question).at(-1);
  return whole?.messages === question.request.messages.length ? whole.hash : undefined;
}

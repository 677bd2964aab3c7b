import { toldPrompts } from '../ledger/charges.ts';
import { leftAfter } from '../ledger/left-after.ts';
import type { Hold } from '../ledger/reserve.ts';
import { errorFields, log } from '../log.ts';
import { beginningsOf } from '../models/beginnings.ts';
import type { Model } from '../models/catalogue.ts';
import type { DialectName } from '../models/dialect-names.ts';
import { inOrder } from '../models/draw.ts';
import type { SizedRequest, Told } from '../models/token-bounds.ts';
import type { RequestBody } from '../models/upstreams/upstream.ts';

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

/**
 * Returns the longest beginning of a conversation whose tokens were told by the upstream that is asked first; undefined
 * if the key's last calls have none.
 */
export async function toldOf(
  keyId: string,
  { model, body, ...question }: Question & { model: Model; body: RequestBody },
): Promise<Told | undefined> {
  const [first] = inOrder(model.upstreams, keyId, body);
  const beginnings = first ? beginningsAt(first, keyId, question) : [];
  if (beginnings.length === 0) return undefined;
  try {
    const told = await toldPrompts(keyId);
    const known = beginnings.findLast(({ hash }) => told.has(hash));
    return known && { messages: known.messages, tokens: Number(told.get(known.hash)) };
  } catch (error) {
    log('warn', 'told prompts not read', { key_id: keyId, ...errorFields(error) });
    return undefined;
  }
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

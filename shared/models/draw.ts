import { createHash } from 'node:crypto';
import type { Model } from './catalogue.ts';

type Upstreams = Model['upstreams'];
type Body = Readonly<Record<string, unknown>>;

/** The length of a conversation's beginning that tells it from others. */
const beginningLength = 10_000;

/**
 * Puts a model's upstreams in the order in which a call asks them: as they are listed, or those with a weight by a draw.
 * The calls of a conversation draw the same, so that it stays where its prompt is cached; an upstream that comes or
 * goes moves only its own part.
 * @see https://en.wikipedia.org/wiki/Rendezvous_hashing
 */
export function inOrder(upstreams: Upstreams, keyId: string, body: Body): Upstreams {
  if (upstreams.every(({ weight }) => weight === undefined)) return upstreams;
  const conversation = `${keyId} ${beginningOf(body)}`;
  const drawn = upstreams.map((each) => ({ each, score: scoreOf(each, conversation) }));
  return drawn.toSorted((a, b) => b.score - a.score).map(({ each }) => each);
}

/** The greatest score is drawn, as often as its part of all weights says. Without a weight an upstream comes after all. */
function scoreOf({ upstream, model, weight = 0 }: Upstreams[number], conversation: string): number {
  const hash = createHash('sha256').update(`${upstream} ${model} ${conversation}`).digest();
  const even = (hash.readUIntBE(0, 6) + 0.5) / 2 ** 48;
  return weight / -Math.log(even);
}

/** What was said first, but for instructions; of embeddings the first input. */
function beginningOf({ messages, input = messages }: Body): string {
  if (!Array.isArray(input)) return String(input).slice(0, beginningLength);
  const isSaid = (each: { role?: unknown } | null) =>
    each?.role !== 'system' && each?.role !== 'developer';
  return (JSON.stringify(input.find(isSaid)) ?? '').slice(0, beginningLength);
}

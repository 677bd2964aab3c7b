import pLimit from 'p-limit';
import type { ApiKey } from '../keys/key.ts';
import { toUsd } from '../ledger/terms/nano-usd.ts';
import type { Days } from './day.ts';
import { sumOf } from './figures.ts';
import { readUses } from './use.ts';

/** What a key used in some days. */
export interface Spender {
  id: string;
  name: string;
  spend_usd: number;
  requests: number;
  failed_requests: number;
  tokens: number;
  pages: number;
  top_model: string;
}

/** The spending of all keys in some days, and the keys that spent most. */
export interface Spenders extends Days {
  total_usd: number;
  /** How many keys used anything. */
  used: number;
  keys: Spender[];
}

const readsAtOnce = 16;

/** Finds the keys that spent most in some days by their usage, with one query per key. */
export async function topSpenders(
  keys: readonly ApiKey[],
  days: Days,
  count: number,
  onKey: (done: number) => void = () => {},
): Promise<Spenders> {
  const spenders: (Spender & { spend: number })[] = [];
  let done = 0;
  const read = async ({ id, name }: ApiKey) => {
    const uses = await readUses('model', id, days);
    onKey(++done);
    if (uses.length === 0) return;
    const { spend, requests, failed_requests, images: pages, ...tokens } = sumOf(uses);
    const byModel = [...Map.groupBy(uses, (use) => use.name)].map(([model, of]) => ({
      model,
      spend: sumOf(of).spend,
    }));
    spenders.push({
      id,
      name,
      spend,
      spend_usd: toUsd(spend),
      requests,
      failed_requests,
      pages,
      tokens: tokens.prompt_tokens + tokens.completion_tokens,
      top_model: byModel.sort((a, b) => b.spend - a.spend)[0]?.model ?? '',
    });
  };
  await pLimit(readsAtOnce).map(keys, read);
  spenders.sort((a, b) => b.spend - a.spend || (a.id < b.id ? -1 : 1));
  return {
    ...days,
    total_usd: toUsd(spenders.reduce((sum, { spend }) => sum + spend, 0)),
    used: spenders.length,
    keys: spenders.slice(0, count).map(({ spend: _, ...spender }) => spender),
  };
}

import pLimit from 'p-limit';
import { listKeys } from '../keys/key.ts';
import type { Days } from './day.ts';
import { usesBy } from './read.ts';

const readsAtOnce = 16;

/** What all keys together spent on each model in some days, in nano-dollars: one query a key. */
export async function spendByModel(days: Days): Promise<Map<string, number>> {
  const oneOfFew = pLimit(readsAtOnce);
  const keys = await listKeys();
  const uses = await Promise.all(keys.map(({ id }) => oneOfFew(() => usesBy('model', id, days))));
  const spend = new Map<string, number>();
  for (const { name, spend: more } of uses.flat()) spend.set(name, (spend.get(name) ?? 0) + more);
  return spend;
}

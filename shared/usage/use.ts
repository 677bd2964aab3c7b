import pLimit from 'p-limit';
import { queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { listKeys } from '../keys/key.ts';
import type { Days } from './day.ts';
import { entryBounds, figuresIn, readEntry, type UsageFigures, type UsageItem } from './figures.ts';

/** What a key used of a model, or under a tag, in a period: a UTC day, or `all`. */
export interface Use extends UsageFigures {
  period: string;
  name: string;
}

/** Reads a key's use by model or by tag in some days, in the order of the days, then by name. */
export async function readUses(kind: 'model' | 'tag', keyId: string, days: Days): Promise<Use[]> {
  const { from, to } = entryBounds(kind, days.from, days.to);
  const uses: Use[] = [];
  const items = queryItems<UsageItem>({
    TableName: setting('USAGE_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':key': keyId, ':from': from, ':to': to },
  });
  for await (const item of items) {
    const { period = '', name = '' } = readEntry(item.entry) ?? {};
    const figures = figuresIn(item);
    if (figures.requests > 0) uses.push({ period, name, ...figures });
  }
  return uses;
}

/** Reads a key's use of each model since the key was issued. */
export const readTotalsByModel = (keyId: string) =>
  readUses('model', keyId, { from: 'all', to: 'all' });

const readsAtOnce = 16;

/** Sums up what all keys together spent on each model in some days, in nano-dollars. It makes one query for each key. */
export async function spendByModel(days: Days): Promise<Map<string, number>> {
  const keys = await listKeys();
  const uses = await pLimit(readsAtOnce).map(keys, ({ id }) => readUses('model', id, days));
  const spend = new Map<string, number>();
  for (const { name, spend: more } of uses.flat()) spend.set(name, (spend.get(name) ?? 0) + more);
  return spend;
}

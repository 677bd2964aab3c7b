import { queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Days } from './day.ts';
import { entryBounds, readEntry } from './entries.ts';
import { figuresIn, type UsageFigures, type UsageItem } from './figures.ts';

/** What a key used of a model, or under a tag, in a period: a day or `all`. */
export interface Use extends UsageFigures {
  period: string;
  name: string;
}

/** A key's use by model or tag in some days, in their order, then by name. */
export async function usesBy(kind: 'model' | 'tag', keyId: string, days: Days): Promise<Use[]> {
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

/** A key's use of models since it exists. */
export const allUsesOfModels = (keyId: string) =>
  usesBy('model', keyId, { from: 'all', to: 'all' });

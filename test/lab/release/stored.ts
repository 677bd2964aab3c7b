import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';

/** The key of the fixture. */
export const apiKey = `sk-${'release'.padEnd(43, '0')}`;

/** Where the fixture lies: the items of each table, by the output that names it. */
export const fixtureUrl = new URL('../../fixtures/release/items.json', import.meta.url);

export const tables = ['KeysTable', 'LedgerTable', 'JobsTable'] as const;

export type Items = Record<(typeof tables)[number], Record<string, unknown>[]>;

/** Reads all items of a table. */
export async function itemsIn(TableName: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for await (const page of paginateScan({ client: dynamodb }, { TableName, ConsistentRead: true }))
    items.push(...(page.Items ?? []));
  return items;
}

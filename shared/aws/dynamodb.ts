import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { fullJitterMs } from '../jitter.ts';
import { holdToSchema } from './schema.ts';
import { timeouts } from './timeouts.ts';

// Its client tries four times, which fits the ten seconds of the shortest function that stands on a table.
const client = new DynamoDBClient(timeouts({ responseMs: 2_000 }));
// Each request would be copied for a log that there is not, and its User-Agent put together anew.
for (const name of ['loggerMiddleware', 'getUserAgentMiddleware']) {
  client.middlewareStack.remove(name);
}

/** The one DynamoDB client of a function. */
export const dynamodb = DynamoDBDocumentClient.from(client, {
  marshallOptions: { removeUndefinedValues: true },
});
holdToSchema(dynamodb);

/** Reads an item as it is now; undefined if there is none. */
export async function getItem<Item>(
  TableName: string,
  Key: Record<string, unknown>,
): Promise<Item | undefined> {
  const { Item } = await dynamodb.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item as Item | undefined;
}

const maxBatch = 100;

/**
 * Reads many items as they are now, in any order; missing ones are left out. With `names`, only these attributes.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
export async function* getItems<Item>(
  TableName: string,
  keys: Record<string, unknown>[],
  names?: string[],
): AsyncGenerator<Item> {
  const projection = names && {
    ProjectionExpression: names.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
  };
  for (let start = 0; start < keys.length; start += maxBatch) {
    const Keys = keys.slice(start, start + maxBatch);
    let RequestItems: BatchGetCommandInput['RequestItems'] = {
      [TableName]: { Keys, ConsistentRead: true, ...projection },
    };
    for (let tries = 0; RequestItems?.[TableName]; tries += 1) {
      if (tries > 0) await setTimeout(fullJitterMs(50, tries, 5_000));
      const read: BatchGetCommandOutput = await dynamodb.send(
        new BatchGetCommand({ RequestItems }),
      );
      yield* (read.Responses?.[TableName] ?? []) as Item[];
      RequestItems = read.UnprocessedKeys;
    }
  }
}

/** One page of a query: its items, and the key that the next page begins after; undefined on the last page. */
export interface Page<Item> {
  items: Item[];
  lastKey: Record<string, unknown> | undefined;
}

/** Reads a query page by page, on demand. A page holds 1 MB, or `Limit` items, before the filter. */
export async function* queryPages<Item>(query: QueryCommandInput): AsyncGenerator<Page<Item>> {
  const { Limit, ...input } = query;
  const pages = paginateQuery({ client: dynamodb, ...(Limit && { pageSize: Limit }) }, input);
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    yield { items: Items as Item[], lastKey: LastEvaluatedKey };
  }
}

/** Reads the items of a query, page after page. */
export async function* queryItems<Item>(query: QueryCommandInput): AsyncGenerator<Item> {
  for await (const { items } of queryPages<Item>(query)) yield* items;
}

/** Reads a key's items by the beginning of their entries, as they are now. */
export const itemsUnder = <Item>(
  TableName: string,
  key_id: string,
  prefix: string,
): AsyncGenerator<Item> =>
  queryItems<Item>({
    TableName,
    KeyConditionExpression: 'key_id = :key AND begins_with(entry, :prefix)',
    ExpressionAttributeValues: { ':key': key_id, ':prefix': prefix },
    ConsistentRead: true,
  });

/** DynamoDB takes 32 levels, including the item's around a value. */
const maxLevels = 30;

/**
 * Whether a table can hold a JSON value as it is: it takes no lone surrogate, no tiny or unsafe number, and not every
 * name.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export function isStorable(value: unknown, level = 1): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return isStorableNumber(Math.abs(value));
  if (typeof value !== 'object' || value === null) return true;
  if (level > maxLevels) return false;
  if (Array.isArray(value)) return value.every((each) => isStorable(each, level + 1));
  return Object.entries(value).every(([name, each]) => isName(name) && isStorable(each, level + 1));
}

const isStorableNumber = (size: number) =>
  size === 0 || (size >= 1e-130 && size <= Number.MAX_SAFE_INTEGER);

const isName = (name: string) => name !== '' && name.isWellFormed() && !(name in Object.prototype);

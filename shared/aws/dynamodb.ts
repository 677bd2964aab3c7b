import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';

/** The one DynamoDB client of a function. */
export const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
});

/**
 * Awaits a conditional write. Returns its output; undefined if its condition didn't hold.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ConditionExpressions.html
 */
export async function unlessConditionFails<Output>(
  write: Promise<Output>,
): Promise<Output | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Reads an item as it is now; undefined if there is none. */
export async function getItem<Item>(
  TableName: string,
  Key: Record<string, unknown>,
): Promise<Item | undefined> {
  const { Item } = await dynamodb.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item as Item | undefined;
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

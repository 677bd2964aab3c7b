import { setTimeout } from 'node:timers/promises';
import {
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { fullJitterMs } from '../jitter.ts';
import { dynamodb } from './dynamodb.ts';

export type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const maxTries = 8;

/** Whether DynamoDB did nothing as another write was in the way, and no condition failed. */
function isInTheWay(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  const codes = codesOf(error);
  return codes.some((code) => transient.has(code)) && !codes.includes(conditionFailed);
}

const transient = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);
const conditionFailed = 'ConditionalCheckFailed';

/** Why a transaction was cancelled, item by item. */
const codesOf = (error: unknown): string[] =>
  error instanceof TransactionCanceledException
    ? (error.CancellationReasons ?? []).map(({ Code = '' }) => Code)
    : [];

/**
 * Sends a request, again while a transaction holds an item of it: DynamoDB refuses it then, and the SDK doesn't retry it.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export async function retryConflicts<Output>(
  send: () => Promise<Output>,
  most = maxTries,
): Promise<Output> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      if (!isInTheWay(error) || tries === most) throw error;
      await setTimeout(fullJitterMs(40, tries - 1, 5_000));
    }
  }
}

/**
 * Writes up to 100 items, all or none. Returns undefined, or the indexes of the failed conditions. Retries conflicts.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export async function writeTransaction(items: TransactWriteItem[]): Promise<number[] | undefined> {
  try {
    await retryConflicts(() => dynamodb.send(new TransactWriteCommand({ TransactItems: items })));
    return undefined;
  } catch (error) {
    const failed = codesOf(error).flatMap((code, index) => (code === conditionFailed ? index : []));
    if (failed.length === 0) throw error;
    return failed;
  }
}

/**
 * Reads up to 100 items of a table as of one moment, in order; undefined for one that is missing. Retries conflicts.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactGetItems.html
 */
export async function readTransaction<Item>(
  TableName: string,
  keys: Record<string, unknown>[],
  maxReads = maxTries,
): Promise<(Item | undefined)[]> {
  const TransactItems = keys.map((Key) => ({ Get: { TableName, Key } }));
  const { Responses = [] } = await retryConflicts(
    () => dynamodb.send(new TransactGetCommand({ TransactItems })),
    maxReads,
  );
  return Responses.map(({ Item }) => Item as Item | undefined);
}

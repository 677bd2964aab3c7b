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

/** Whether a cancelled transaction may succeed when it is sent again as it was. */
const isTransient = (code: string | undefined) =>
  ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'].includes(code ?? '');

const waitBeforeRetry = (tries: number) => setTimeout(fullJitterMs(40, tries - 1, 5_000));

/**
 * Sends a plain write, again while a transaction holds its item: DynamoDB refuses it then, and the SDK doesn't retry
 * it.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 */
export async function retryConflicts<Output>(write: () => Promise<Output>): Promise<Output> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || tries === maxTries) throw error;
      await waitBeforeRetry(tries);
    }
  }
}

/**
 * Writes up to 100 items, all or none. Returns undefined, or the indexes of the failed conditions. Retries conflicts.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export async function writeTransaction(items: TransactWriteItem[]): Promise<number[] | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      await dynamodb.send(new TransactWriteCommand({ TransactItems: items }));
      return undefined;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
      const failed = codes.flatMap((code, index) =>
        code === 'ConditionalCheckFailed' ? index : [],
      );
      if (failed.length > 0) return failed;
      if (!codes.some(isTransient) || tries === maxTries) throw error;
      await waitBeforeRetry(tries);
    }
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
  for (let tries = 1; ; tries += 1) {
    try {
      const { Responses = [] } = await dynamodb.send(new TransactGetCommand({ TransactItems }));
      return Responses.map(({ Item }) => Item as Item | undefined);
    } catch (error) {
      if (!(error instanceof TransactionCanceledException) || tries === maxReads) throw error;
      if (!(error.CancellationReasons ?? []).some(({ Code }) => isTransient(Code))) throw error;
      await waitBeforeRetry(tries);
    }
  }
}

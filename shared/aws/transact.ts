import {
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from './dynamodb.ts';

export type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const mostTries = 8;

/** Reasons that pass by themselves. */
const passes = (code: string | undefined) =>
  ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'].includes(code ?? '');

const backOff = (tries: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** tries));

/** Sends a plain write again while a transaction holds its item: DynamoDB refuses it, and the SDK gives up. */
export async function throughConflicts<Output>(write: () => Promise<Output>): Promise<Output> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || tries === mostTries) throw error;
      await backOff(tries);
    }
  }
}

/**
 * Writes all items or none; answers which items' conditions failed, undefined where all is written. Another
 * write at the same moment cancels a transaction without a reason of its own, and is waited out.
 */
export async function failedConditions(items: TransactWriteItem[]): Promise<number[] | undefined> {
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
      if (!codes.some(passes) || tries === mostTries) throw error;
      await backOff(tries);
    }
  }
}

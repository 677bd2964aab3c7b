import { setTimeout } from 'node:timers/promises';
import {
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { fullJitterMs } from '../backoff.ts';
import { dynamodb } from './dynamodb.ts';

export type TransactWriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const maxTries = 8;

/** Whether a reason passes by itself. */
const passes = (code: string | undefined) =>
  ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'].includes(code ?? '');

const backOff = (tries: number) => setTimeout(fullJitterMs(20, tries, 5_000));

/** Sends a plain write, and again while a transaction holds its item: DynamoDB refuses it, and the SDK gives up. */
export async function throughConflicts<Output>(write: () => Promise<Output>): Promise<Output> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || tries === maxTries) throw error;
      await backOff(tries);
    }
  }
}

/**
 * Writes all items or none. Returns the indexes of those whose condition failed; undefined if all are written.
 * A transaction that another write at the same moment has cancelled is sent again.
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
      if (!codes.some(passes) || tries === maxTries) throw error;
      await backOff(tries);
    }
  }
}

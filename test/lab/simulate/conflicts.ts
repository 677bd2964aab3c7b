import {
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';

/** How long a transaction has its items to itself, in ms: it takes two rounds. */
const transactionMs = 5;

/** How long a plain write is in the way of a transaction that reads. */
const writeMs = 2;

const mostKept = 10_000;

/**
 * Which items are being written. What meets a transaction under way is refused, and so is a transaction that meets another,
 * or that reads what is being written.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 */
export class Conflicts {
  count = 0;
  private readonly inTransactionUntil = new Map<string, number>();
  private readonly writtenUntil = new Map<string, number>();

  /** Throws if a plain write meets a transaction. */
  write(id: string, now: number): void {
    if (isBefore(this.inTransactionUntil, id, now)) {
      this.count += 1;
      throw new TransactionConflictException({ message: 'Transaction is ongoing', $metadata });
    }
    keep(this.writtenUntil, id, now, writeMs);
  }

  /** Throws if a transaction that reads meets any write. */
  readTogether(ids: string[], now: number): void {
    this.refuse(
      ids.map(
        (id) => isBefore(this.inTransactionUntil, id, now) || isBefore(this.writtenUntil, id, now),
      ),
    );
  }

  /** Throws if a transaction that writes meets another; else it has its items for a moment. */
  writeTogether(ids: string[], now: number): void {
    this.refuse(ids.map((id) => isBefore(this.inTransactionUntil, id, now)));
    for (const id of ids) keep(this.inTransactionUntil, id, now, transactionMs);
  }

  private refuse(areTaken: boolean[]): void {
    if (!areTaken.includes(true)) return;
    this.count += 1;
    throw new TransactionCanceledException({
      message: 'Transaction cancelled',
      $metadata,
      CancellationReasons: areTaken.map((isTaken) => ({
        Code: isTaken ? 'TransactionConflict' : 'None',
      })),
    });
  }
}

const $metadata = { httpStatusCode: 400 };

const isBefore = (until: Map<string, number>, id: string, now: number) =>
  (until.get(id) ?? 0) > now;

function keep(until: Map<string, number>, id: string, now: number, ms: number): void {
  until.set(id, now + ms);
  if (until.size < mostKept) return;
  for (const [each, end] of until) if (end <= now) until.delete(each);
}

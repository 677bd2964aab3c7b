import { BatchExecuteStatementCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { Group } from '../../group.ts';
import { errorFields, log } from '../../log.ts';
import { putCharge } from '../account/put-charge.ts';
import type { Charge } from '../terms/charge.ts';

/** The most statements of one batch. */
const maxBatch = 25;

/** A group that takes longer holds the next up, so that its charges go on alone. */
const longestGroupMs = 1_000;

/** Writes charges that end at about the same time with one request. */
export class ChargeGroup {
  private readonly group = new Group(writeAll, { atMost: maxBatch });

  /** Writes a charge as `putCharge` does. What a group can't write is tried alone; a charge is written once anyhow. */
  async put(charge: Charge, abortSignal: AbortSignal): Promise<void> {
    const isThere = await this.group.add(charge);
    if (!isThere) await putCharge(charge, abortSignal);
  }
}

/**
 * Inserts charges that are not there. Returns for each whether it is there now. Batches have no conditions, and
 * transactions cost twice.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.multiplestatements.batching.html
 */
async function writeAll(charges: Charge[]): Promise<boolean[]> {
  const insert = new BatchExecuteStatementCommand({ Statements: charges.map(insertOf) });
  try {
    const abortSignal = AbortSignal.timeout(longestGroupMs);
    const { Responses = [] } = await dynamodb.send(insert, { abortSignal });
    return charges.map((_, index) => {
      const response = Responses[index];
      return response !== undefined && (!response.Error || response.Error.Code === 'DuplicateItem');
    });
  } catch (error) {
    log('warn', 'charges not written together', { charges: charges.length, ...errorFields(error) });
    return charges.map(() => false);
  }
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.insert.html */
function insertOf(charge: Charge) {
  const attributes = Object.entries(charge).filter(([, value]) => value !== undefined);
  const values = attributes.map(([name]) => `'${name}': ?`).join(', ');
  return {
    Statement: `INSERT INTO "${setting('LEDGER_TABLE')}" VALUE {${values}}`,
    Parameters: attributes.map(([, value]) => value),
  };
}

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { keyOf } from '../ledger/read-charges.ts';
import { errorFields, log } from '../log.ts';
import { countCharges } from './count.ts';
import type { EndedCharge } from './figures.ts';

/**
 * Counts the ended charges in records of the ledger's stream. A key that fails is returned by its first record, from
 * which Lambda sends the batch again; the others are counted.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function rollUpUsage({
  Records,
}: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const byKey = Map.groupBy(Records.filter(hasEnded), (record) => keyOf(chargeOf(record)));
  const failed = await Promise.all([...byKey].map(([keyId, records]) => count(keyId, records)));
  return {
    batchItemFailures: failed
      .flat()
      .map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber ?? '' })),
  };
}

/** Counts the charges of one key. Returns the record to report as failed, if any. */
async function count(keyId: string, records: DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
  const charges = new Map(records.map(chargeOf).map((charge) => [charge.entry, charge]));
  try {
    await countCharges(keyId, [...charges.values()]);
    return [];
  } catch (error) {
    log('error', 'usage not counted', { key_id: keyId, ...errorFields(error) });
    return records.slice(0, 1);
  }
}

const hasEnded = ({ dynamodb }: DynamoDBRecord) => dynamodb?.NewImage?.['ended_at'] !== undefined;

const chargeOf = ({ dynamodb }: DynamoDBRecord) =>
  unmarshall(dynamodb?.NewImage as Record<string, AttributeValue>) as EndedCharge;

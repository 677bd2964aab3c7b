import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { ownerOf } from '../ledger/parts/part-id.ts';
import { errorFields, log } from '../log.ts';
import { countCharges } from './count.ts';
import type { EndedCharge } from './figures.ts';

/**
 * Counts the charges that have ended in a batch of records of the ledger's stream. If a key's charges can't be
 * counted, its first record is returned as failed, and the other keys are counted all the same. Lambda then
 * sends the batch again from the first failed record on.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function rollUpUsage({
  Records,
}: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const byKey = Map.groupBy(Records.filter(hasEnded), keyOf);
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

function hasEnded({ dynamodb }: DynamoDBRecord): boolean {
  const { ended_at, counted_in } = dynamodb?.NewImage ?? {};
  return ended_at !== undefined && counted_in === undefined;
}

/** The key of a charge, which lies with a part of its account. */
const keyOf = ({ dynamodb }: DynamoDBRecord) => ownerOf(dynamodb?.NewImage?.['key_id']?.S ?? '');

const chargeOf = ({ dynamodb }: DynamoDBRecord) =>
  unmarshall(dynamodb?.NewImage as Record<string, AttributeValue>) as EndedCharge;

import { DeleteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { Charge } from '../../../shared/ledger/terms/charge.ts';
import { figureNames } from '../../../shared/usage/figures.ts';
import { usageOf } from './usage-world.ts';

const day = new Date().toISOString().slice(0, 10);
const entries = [
  'total',
  'model#all#gpt-5',
  `model#${day}#gpt-5`,
  `tag#${day}#batch`,
  `tag#${day}#no-such`,
];

/** Makes one figure of a key's usage wrong; `seed` says which. */
export async function spoil(keyId: string, seed: number): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: setting('USAGE_TABLE'),
      Key: { key_id: keyId, entry: entries[seed % entries.length] },
      UpdateExpression: 'ADD #figure :more',
      ExpressionAttributeNames: { '#figure': figureNames[seed % figureNames.length] as string },
      ExpressionAttributeValues: { ':more': (seed % 7) - 3 },
    }),
  );
}

/** Makes a key's total unfit to be added to. */
export async function spoilShape(keyId: string): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: setting('USAGE_TABLE'),
      Key: { key_id: keyId, entry: 'total' },
      UpdateExpression: 'SET requests = :text',
      ExpressionAttributeValues: { ':text': 'many' },
    }),
  );
}

/** Loses all of a key's usage. */
export async function loseUsage(keyId: string): Promise<void> {
  for (const entry of Object.keys(await usageOf(keyId))) {
    const Key = { key_id: keyId, entry };
    await dynamodb.send(new DeleteCommand({ TableName: setting('USAGE_TABLE'), Key }));
  }
}

/** The items of a key's marks, each with the marks of a second. */
export async function marksOf(keyId: string): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('USAGE_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :counted)',
      ExpressionAttributeValues: { ':key': keyId, ':counted': 'counted#' },
      ConsistentRead: true,
    }),
  );
  return Items;
}

/** Loses all marks of what a key's usage has counted. */
export async function loseMarks(keyId: string): Promise<void> {
  for (const { entry } of await marksOf(keyId)) {
    const Key = { key_id: keyId, entry };
    await dynamodb.send(new DeleteCommand({ TableName: setting('USAGE_TABLE'), Key }));
  }
}

/** Forgets a charge, as the ledger does in time. */
export async function forget({ key_id, entry }: Charge): Promise<void> {
  const Key = { key_id, entry };
  await dynamodb.send(new DeleteCommand({ TableName: setting('LEDGER_TABLE'), Key }));
}

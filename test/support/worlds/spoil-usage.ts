import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import type { Charge } from '../../../shared/ledger/charge.ts';
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

/** Forgets a charge, as the ledger does in time. */
export async function forget({ key_id, entry }: Charge): Promise<void> {
  const Key = { key_id, entry };
  await dynamodb.send(new DeleteCommand({ TableName: setting('LEDGER_TABLE'), Key }));
}

import { getItem } from '../aws/dynamodb.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { totalEntry } from './entries.ts';
import { figureNames, type UsageFigures } from './figures.ts';

/** A key's total, as far as it says what may be written next. */
export interface Total {
  /** Grows with each write of the key's usage. */
  revision?: number;
  /** The revision of the last rebuild that corrected something. */
  corrected_in?: number;
}

/** Reads a key's total as it is now; empty where nothing was counted yet. */
export async function readTotal(keyId: string): Promise<Total> {
  const key = { key_id: keyId, entry: totalEntry };
  return (await getItem<Total>(setting('USAGE_TABLE'), key)) ?? {};
}

/** A revision after another. It is a time too: one that follows a lost total is later than all before. */
export const revisionAfter = ({ revision = 0 }: Total) => Math.max(revision + 1, Date.now());

/** Moves one of a total's numbers on from what was read. */
export const moveOn = (name: keyof Total, from: number | undefined, to: number) => ({
  ConditionExpression: from === undefined ? `attribute_not_exists(${name})` : `${name} = :from`,
  UpdateExpression: `SET ${name} = :to`,
  ExpressionAttributeValues: { ':to': to, ...(from !== undefined && { ':from': from }) },
});

/** The write that adds figures to an entry, and moves on a number of it. */
export function addition(
  keyId: string,
  entry: string,
  figures: UsageFigures,
  move?: ReturnType<typeof moveOn>,
): TransactWriteItem {
  return {
    Update: {
      TableName: setting('USAGE_TABLE'),
      Key: { key_id: keyId, entry },
      ...move,
      UpdateExpression: `${move?.UpdateExpression ?? ''} ADD ${figureNames
        .map((name) => `#${name} :${name}`)
        .join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(figureNames.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...move?.ExpressionAttributeValues,
        ...Object.fromEntries(figureNames.map((name) => [`:${name}`, figures[name]])),
      },
    },
  };
}

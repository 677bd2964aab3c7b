import { getItem } from '../aws/dynamodb.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { figureNames, totalEntry, type UsageFigures } from './figures.ts';

/** The attributes of a key's total that order the writes of its usage. */
export interface Total {
  /** Grows with each write of the key's usage. */
  revision?: number;
  /** The revision of the last rebuild that corrected something. */
  corrected_in?: number;
}

/** Reads a key's total as it is now. It is empty if nothing was counted yet. */
export async function readTotal(keyId: string): Promise<Total> {
  const key = { key_id: keyId, entry: totalEntry };
  return (await getItem<Total>(setting('USAGE_TABLE'), key)) ?? {};
}

/** Returns the next revision: at least the time in ms, so that it exceeds all earlier ones even if the total was lost. */
export const revisionAfter = ({ revision = 0 }: Total) => Math.max(revision + 1, Date.now());

/** Makes the update that changes a number of a total, on the condition that it is still as it was read. */
export const moveOn = (
  name: 'revision' | 'corrected_in',
  from: number | undefined,
  to: number,
) => ({
  ConditionExpression: from === undefined ? `attribute_not_exists(${name})` : `${name} = :from`,
  UpdateExpression: `SET ${name} = :to`,
  ExpressionAttributeValues: { ':to': to, ...(from !== undefined && { ':from': from }) },
});

/** Makes the write that adds figures to an entry, together with an update of `moveOn` if one is given. */
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

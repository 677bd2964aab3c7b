import { getItems } from '../aws/dynamodb.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { ownerOf } from '../ledger/parts/part-id.ts';
import { chargeRetentionSeconds } from '../ledger/terms/charge.ts';
import type { EndedCharge } from './figures.ts';

/*
 * Which charges were counted, and in which revision. Charges of a key that ended in one second have their marks in one
 * item: those that are counted together have mostly ended together. `README.md` lists its attributes.
 */

/** The entry of the marks of the second in which a charge ended. */
export const marksEntry = ({ ended_at }: EndedCharge) => `counted#${ended_at.slice(0, 19)}`;

/** The name of a charge's mark: its whole UUID, in 22 characters. */
const markName = ({ entry }: EndedCharge) =>
  Buffer.from(entry.replace('charge_', '').replaceAll('-', ''), 'hex').toString('base64url');

/** Marks outlive their charges: one without its mark would be counted again. */
const keptSeconds = chargeRetentionSeconds + 2 * 86_400;

/** Makes the writes that mark charges of a key as counted. The write of a second fails if one of its charges has a mark. */
export function marking(charges: readonly EndedCharge[], revision: number): TransactWriteItem[] {
  return [...Map.groupBy(charges, marksEntry)].map(([entry, of]) => {
    const [{ key_id: partId, ended_at }] = of as [EndedCharge];
    const key_id = ownerOf(partId);
    const names = of.map((_, index) => `#m${index}`);
    return {
      Update: {
        TableName: setting('USAGE_TABLE'),
        Key: { key_id, entry },
        ConditionExpression: names.map((name) => `attribute_not_exists(${name})`).join(' AND '),
        UpdateExpression: `SET expires_at = :expires, ${names.map((name) => `${name} = :revision`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(
          of.map((charge, index) => [`#m${index}`, markName(charge)]),
        ),
        ExpressionAttributeValues: {
          ':revision': revision,
          ':expires': Math.floor(Date.parse(ended_at) / 1000) + keptSeconds,
        },
      },
    };
  });
}

/**
 * Returns charges of a key with the revisions that counted them, as it is now. Each item is read by itself: beside a
 * transaction a query may see a part of it, but each read of a batch is serializable.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
 */
export async function withMarks(charges: readonly EndedCharge[]): Promise<EndedCharge[]> {
  const key_id = ownerOf(charges[0]?.key_id ?? '');
  const unmarked = charges.filter(({ counted_in }) => counted_in === undefined);
  const keys = [...new Set(unmarked.map(marksEntry))].map((entry) => ({ key_id, entry }));
  const marks = new Map<string, Record<string, number>>();
  const items = getItems<Record<string, number> & { entry: string }>(setting('USAGE_TABLE'), keys);
  for await (const { entry, ...of } of items) marks.set(entry, of);
  return charges.map((charge) => {
    const counted_in = marks.get(marksEntry(charge))?.[markName(charge)];
    return counted_in === undefined ? charge : { counted_in, ...charge };
  });
}

/**
 * Leaves out charges that a version before has counted, of those that ended before an instant: it wrote their marks on
 * the charges themselves.
 */
export async function withoutOwnMarks(
  charges: readonly EndedCharge[],
  until: string,
): Promise<EndedCharge[]> {
  const old = charges.filter(({ ended_at }) => ended_at < until);
  const keys = old.map(({ key_id, entry }) => ({ key_id, entry }));
  const counted = new Set<string>();
  const items = getItems<EndedCharge>(setting('LEDGER_TABLE'), keys, ['entry', 'counted_in']);
  for await (const { entry, counted_in } of items) if (counted_in) counted.add(entry);
  return charges.filter(({ entry }) => !counted.has(entry));
}

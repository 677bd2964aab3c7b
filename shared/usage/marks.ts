import { getItems } from '../aws/dynamodb.ts';
import { expressUpdate } from '../aws/express-update.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { keyOf } from '../ledger/read-charges.ts';
import { chargeRetentionSeconds } from '../ledger/terms/charge.ts';
import type { EndedCharge } from './figures.ts';

/*
 * Which charges were counted, and in which revision. A key's charges that ended in one second share an item;
 * `README.md` lists its attributes.
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
    const [charge] = of as [EndedCharge];
    const key = { key_id: keyOf(charge), entry };
    const expiresAt = Math.floor(Date.parse(charge.ended_at) / 1000) + keptSeconds;
    const Update = expressUpdate(setting('USAGE_TABLE'), key, (value, name) => ({
      when: of.map((each) => `attribute_not_exists(${name(markName(each))})`),
      set: [
        `expires_at = ${value(expiresAt)}`,
        ...of.map((each) => `${name(markName(each))} = ${value(revision)}`),
      ],
    }));
    return { Update };
  });
}

/**
 * Returns a key's charges with the revisions that counted them. Reads of a batch are serializable, a query is not.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
 */
export async function withMarks(charges: readonly EndedCharge[]): Promise<EndedCharge[]> {
  const [first] = charges;
  if (!first) return [];
  const key_id = keyOf(first);
  const keys = [...new Set(charges.map(marksEntry))].map((entry) => ({ key_id, entry }));
  const marks = new Map<string, Record<string, number>>();
  const items = getItems<Record<string, number> & { entry: string }>(setting('USAGE_TABLE'), keys);
  for await (const { entry, ...of } of items) marks.set(entry, of);
  return charges.map((charge) => {
    const counted_in = marks.get(marksEntry(charge))?.[markName(charge)];
    return counted_in === undefined ? charge : { ...charge, counted_in };
  });
}

import { queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { findAccount } from '../ledger/account/account.ts';
import { longestCallMs } from '../ledger/account/epoch.ts';
import { idsOf } from '../ledger/parts/part-id.ts';
import { chargeRetentionSeconds } from '../ledger/terms/charge.ts';
import { uuidPrefix } from '../uuid-time.ts';
import { type Days, dayOf } from './day.ts';
import type { EndedCharge } from './figures.ts';
import { withMarks } from './marks.ts';

const dayMs = 86_400_000;

/**
 * Reads the charges of a key that ended in some days, of all that are kept unless days are given, page by page: those of
 * each part of its account after another.
 */
export async function* endedCharges(
  keyId: string,
  days: Partial<Days> = {},
): AsyncGenerator<EndedCharge[]> {
  const account = await findAccount(keyId);
  for (const id of account ? idsOf(account) : [keyId]) yield* endedChargesIn(id, days);
}

/** Reads the same of one part of an account. A charge lies where its call began, which may be the day before. */
export async function* endedChargesIn(
  partId: string,
  { from, to }: Partial<Days> = {},
): AsyncGenerator<EndedCharge[]> {
  const charges = queryPages<EndedCharge>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':key': partId,
      ':from': `charge_${from ? uuidPrefix(Date.parse(from) - longestCallMs) : ''}`,
      ':to': `charge_${to ? uuidPrefix(Date.parse(to) + dayMs) : '~'}`,
    },
    ConsistentRead: true,
  });
  const isWithin = ({ ended_at }: EndedCharge) =>
    ended_at !== undefined &&
    (from === undefined || dayOf(ended_at) >= from) &&
    (to === undefined || dayOf(ended_at) <= to);
  for await (const { items } of charges) yield items.filter(isWithin);
}

/**
 * Reads the same charges with the revisions that counted them, but for those that DynamoDB may delete at any time: their
 * marks may be gone before them.
 */
export async function* markedCharges(
  keyId: string,
  days?: Partial<Days>,
): AsyncGenerator<EndedCharge[]> {
  for await (const page of endedCharges(keyId, days)) {
    yield await withMarks(page.filter(({ expires_at }) => expires_at * 1000 > Date.now()));
  }
}

/**
 * The first day whose charges are all kept. It is two days less than they are kept for: DynamoDB deletes them at any
 * time after that, so that only some of them may be left.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
export const firstKeptDay = () => dayOf(Date.now() - (chargeRetentionSeconds - 2 * 86_400) * 1000);

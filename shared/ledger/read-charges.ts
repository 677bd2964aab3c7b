import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { timeOfId, uuidPrefix } from '../uuid-time.ts';
import { findAccount } from './account/account.ts';
import { longestCallMs } from './account/epoch.ts';
import { everInTeam } from './parts/members.ts';
import type { AccountReading } from './read-account.ts';
import { idsOf, ownerOf } from './terms/account-ids.ts';
import type { Charge } from './terms/charge.ts';

/** When calls ended, in ms since 1970: at `fromMs` or later, and before `untilMs`. */
export interface Span {
  fromMs?: number | undefined;
  untilMs?: number | undefined;
}

/** The key that a charge is of. */
export const keyOf = ({ key_id }: Pick<Charge, 'key_id'>) => ownerOf(key_id);

/** Reads the charges of a key, page by page: all that ended in a span, and maybe others that began in it. */
export async function* chargesOf(keyId: string, span: Span = {}): AsyncGenerator<Charge[]> {
  const account = await findAccount(keyId);
  for (const id of account ? idsOf(account) : [keyId]) yield* chargesUnder(id, span);
}

/** Reads the charges that were held on a team, of all keys that ever were in it. */
export async function* chargesOnTeam(teamId: string, span: Span): AsyncGenerator<Charge[]> {
  const isOnTeam = ({ team }: Charge) => team !== undefined && ownerOf(team) === teamId;
  for await (const id of everInTeam(teamId)) {
    for await (const page of chargesUnder(id, span)) yield page.filter(isOnTeam);
  }
}

/** A charge lies where its call began, which may be a while before it ended. */
async function* chargesUnder(id: string, { fromMs, untilMs }: Span): AsyncGenerator<Charge[]> {
  const pages = queryPages<Charge>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :from AND :to',
    // What is noted of calls under way has none.
    FilterExpression: 'attribute_exists(ended_at)',
    ExpressionAttributeValues: {
      ':key': id,
      ':from': `charge_${fromMs === undefined ? '' : uuidPrefix(fromMs - longestCallMs)}`,
      ':to': `charge_${untilMs === undefined ? '~' : uuidPrefix(untilMs)}`,
    },
    ConsistentRead: true,
  });
  for await (const { items } of pages) yield items;
}

/** When the last of a key's calls began that has ended or was noted, in ms since 1970; undefined for none that is kept. */
export async function lastChargeMs({
  charges_under,
}: Pick<AccountReading, 'charges_under'>): Promise<number | undefined> {
  const entries = await Promise.all(charges_under.map(lastEntry));
  const last = entries
    .filter((entry) => entry !== undefined)
    .sort()
    .at(-1);
  return last === undefined ? undefined : timeOfId(last);
}

const lastEntry = async (id: string) => (await lastCharges(id, ['entry'], 1))[0]?.entry;

/** Returns fields of the last calls under an id that ended or were noted, the last one first. */
export async function lastCharges(
  id: string,
  fields: readonly (keyof Charge)[],
  Limit: number,
): Promise<Partial<Charge>[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('LEDGER_TABLE'),
      KeyConditionExpression: 'key_id = :key AND begins_with(entry, :charge)',
      ExpressionAttributeValues: { ':key': id, ':charge': 'charge_' },
      ProjectionExpression: fields.join(),
      ScanIndexForward: false,
      Limit,
    }),
  );
  return Items;
}

import { getItems, itemsUnder } from '../../aws/dynamodb.ts';
import { updateItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { type Account, accountKey, findAccount } from '../account/account.ts';
import { idsOf, isCeiling, isTeamId, limitOwner, ownerOf } from '../terms/account-ids.ts';

/** A key that is in a team, or was at some time; or that has held on the ceiling of all keys. */
interface Member {
  key_id: string;
  /** `member_` and the key's id. */
  entry: string;
  /** How many parts it has or had while it was in the team; absent for one. */
  parts?: number;
}

const prefix = 'member_';

/** Notes a key on a team, with how many parts it has. Those may have become more since. */
export async function noteMember(
  teamId: string,
  { key_id, parts }: Pick<Account, 'key_id' | 'parts'>,
): Promise<void> {
  const { Update } = memberParts(teamId, key_id, parts);
  const ifMore = { ConditionExpression: 'attribute_not_exists(parts) OR parts < :parts' };
  await updateItem({ ...Update, ...(parts !== undefined && ifMore) });
}

/** The write that notes on a team how many parts a key of it has: its charges may lie in each. */
export const memberParts = (teamId: string, keyId: string, parts?: number) => ({
  Update: {
    TableName: setting('LEDGER_TABLE'),
    Key: { key_id: teamId, entry: `${prefix}${keyId}` },
    UpdateExpression: parts === undefined ? undefined : 'SET parts = :parts',
    ...(parts !== undefined && { ExpressionAttributeValues: { ':parts': parts } }),
  },
});

/** Lists the ids, of each part, of all keys that ever held on the account of a team or a further limit. */
export async function* keysOn(id: string): AsyncGenerator<string> {
  const ownerId = limitOwner(ownerOf(id));
  if (isTeamId(ownerId)) return yield* everInTeam(ownerId);
  if (isCeiling(ownerId)) {
    const keys = (await Array.fromAsync(everInTeam(ownerId))).map(accountKey);
    for await (const key of getItems<Account>(setting('LEDGER_TABLE'), keys)) yield* idsOf(key);
    return;
  }
  const owner = await findAccount(ownerId);
  if (owner) yield* idsOf(owner);
}

/** Lists the ids, of each part, of the keys that are in a team or ever were. */
export async function* everInTeam(teamId: string): AsyncGenerator<string> {
  const members = itemsUnder<Member>(setting('LEDGER_TABLE'), ownerOf(teamId), prefix);
  for await (const { entry, parts } of members) {
    yield* idsOf({ key_id: entry.slice(prefix.length), ...(parts && { parts }) });
  }
}

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, queryItems, unlessConditionFails } from '../aws/dynamodb.ts';
import { writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { type Account, accountKey, findAccount } from './account.ts';
import { idsOf, ownerOf } from './parts/part-id.ts';

/** Whether an id is a team's, not a key's. */
export const isTeamId = (id: string) => id.startsWith('team_');

/** A key that is in a team, or was at some time. */
interface Member {
  key_id: string;
  /** `member_` and the key's id. */
  entry: string;
  /** How many parts it has or had while it was in the team; absent for one. */
  parts?: number;
}

const prefix = 'member_';

/**
 * Puts a key's account into a team, or into none. Calls that are under way settle on the team that they were held on.
 * The team notes the key first, and for good, so that its audit finds every charge that was ever held on it.
 */
export async function putInTeam(keyId: string, teamId: string | null): Promise<void> {
  for (;;) {
    const account = await findAccount(keyId);
    if (!account) throw new Error(`The key ${keyId} has no account`);
    if (teamId !== null) await noteMember(teamId, account);
    const { parts } = account;
    const failed = await writeTransaction(
      idsOf(account).map((id, index) => ({
        Update: {
          TableName: setting('LEDGER_TABLE'),
          Key: accountKey(id),
          // Parts that it gets meanwhile would be in the team of before.
          ConditionExpression: [
            'attribute_exists(entry)',
            ...(index > 0 ? [] : [parts ? 'parts = :parts' : 'attribute_not_exists(parts)']),
          ].join(' AND '),
          UpdateExpression: teamId === null ? 'REMOVE team' : 'SET team = :team',
          ...((teamId !== null || (parts && index === 0)) && {
            ExpressionAttributeValues: {
              ...(teamId !== null && { ':team': teamId }),
              ...(parts && index === 0 && { ':parts': parts }),
            },
          }),
        },
      })),
    );
    if (!failed) return;
  }
}

/** Notes a key on a team, with how many parts it has. Those may have become more since. */
async function noteMember(teamId: string, { key_id, parts }: Account): Promise<void> {
  const { Update } = memberParts(teamId, key_id, parts);
  const ifMore = { ConditionExpression: 'attribute_not_exists(parts) OR parts < :parts' };
  await unlessConditionFails(
    dynamodb.send(new UpdateCommand({ ...Update, ...(parts !== undefined && ifMore) })),
  );
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

/** Lists the ids, of each part, of the keys that are in a team or ever were. */
export async function* everInTeam(teamId: string): AsyncGenerator<string> {
  const members = queryItems<Member>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :team AND begins_with(entry, :member)',
    ExpressionAttributeValues: { ':team': ownerOf(teamId), ':member': prefix },
    ConsistentRead: true,
  });
  for await (const { entry, parts } of members) {
    yield* idsOf({ key_id: entry.slice(prefix.length), ...(parts && { parts }) });
  }
}

/** Changes what a team's account calls it. */
export async function nameTeamAccount(teamId: string, name: string): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: setting('LEDGER_TABLE'),
      Key: accountKey(teamId),
      ConditionExpression: 'attribute_exists(entry)',
      UpdateExpression: 'SET #name = :name',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':name': name },
    }),
  );
}

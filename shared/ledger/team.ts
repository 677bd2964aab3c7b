import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, queryItems } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { accountKey } from './account.ts';

/** Whether an id is a team's, not a key's. */
export const isTeamId = (id: string) => id.startsWith('team_');

/** A key that is in a team, or was at some time. */
interface Member {
  key_id: string;
  /** `member_` and the key's id. */
  entry: string;
}

const prefix = 'member_';

/**
 * Puts a key's account into a team, or into none. Calls that are under way settle on the team that they were held on.
 * The team notes the key first, and for good, so that its audit finds every charge that was ever held on it.
 */
export async function putInTeam(keyId: string, teamId: string | null): Promise<void> {
  const TableName = setting('LEDGER_TABLE');
  if (teamId !== null) {
    const member: Member = { key_id: teamId, entry: `${prefix}${keyId}` };
    await dynamodb.send(new PutCommand({ TableName, Item: member }));
  }
  await dynamodb.send(
    new UpdateCommand({
      TableName,
      Key: accountKey(keyId),
      ConditionExpression: 'attribute_exists(entry)',
      ...(teamId === null
        ? { UpdateExpression: 'REMOVE team' }
        : {
            UpdateExpression: 'SET team = :team',
            ExpressionAttributeValues: { ':team': teamId },
          }),
    }),
  );
}

/** Lists the keys that are in a team or ever were. */
export async function* everInTeam(teamId: string): AsyncGenerator<string> {
  const members = queryItems<Member>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :team AND begins_with(entry, :member)',
    ExpressionAttributeValues: { ':team': teamId, ':member': prefix },
    ConsistentRead: true,
  });
  for await (const { entry } of members) yield entry.slice(prefix.length);
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

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { accountKey, findAccount } from './account/account.ts';
import { noteMember } from './parts/members.ts';
import { idsOf } from './parts/part-id.ts';

/**
 * Puts a key's account into a team, or into none. Calls under way settle on the team that held them. The team notes
 * the key for good, so that its audit finds all charges.
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

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { type Account, accountKey, findAccount } from './account/account.ts';
import { noteMember } from './parts/members.ts';
import { idsOf } from './terms/account-ids.ts';

/**
 * Puts a key's account into a team, or into none. Calls under way settle on the team that held them. The team notes
 * the key for good, so that its audit finds all charges.
 */
export async function putInTeam(keyId: string, team: string | null): Promise<void> {
  const note = team === null ? undefined : (account: Account) => noteMember(team, account);
  await setOnParts(keyId, { team }, note);
}

/** Sets an attribute of an account on all its parts at once; null removes it. `before` is done with the account first. */
export async function setOnParts(
  id: string,
  set: { team: string | null } | { limits: number },
  before?: (account: Account) => Promise<void>,
): Promise<void> {
  const [[name = '', value] = []] = Object.entries(set);
  for (;;) {
    const account = await findAccount(id);
    if (!account) throw new Error(`${id} has no account`);
    await before?.(account);
    const { parts } = account;
    const failed = await writeTransaction(
      idsOf(account).map((partId, index) => {
        const isOwn = index === 0;
        const values = {
          ...(value !== null && { ':value': value }),
          ...(parts && isOwn && { ':parts': parts }),
        };
        const asRead = parts ? 'parts = :parts' : 'attribute_not_exists(parts)';
        return {
          Update: {
            TableName: setting('LEDGER_TABLE'),
            Key: accountKey(partId),
            // Parts that it gets meanwhile would have what it had before.
            ConditionExpression: `attribute_exists(entry)${isOwn ? ` AND ${asRead}` : ''}`,
            UpdateExpression: value === null ? 'REMOVE #name' : 'SET #name = :value',
            ExpressionAttributeNames: { '#name': name },
            ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
          },
        };
      }),
    );
    if (!failed) return;
  }
}

/** Changes what the account of a team, or of a further limit, is called. */
export async function nameAccount(id: string, name: string): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: setting('LEDGER_TABLE'),
      Key: accountKey(id),
      ConditionExpression: 'attribute_exists(entry)',
      UpdateExpression: 'SET #name = :name',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':name': name },
    }),
  );
}

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { asRead } from '../aws/express-update.ts';
import { writeTransaction } from '../aws/transact.ts';
import { type Account, accountUpdate, requireAccount } from './account/account.ts';
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
  const [[name = '', to] = []] = Object.entries(set);
  for (;;) {
    const account = await requireAccount(id);
    await before?.(account);
    const failed = await writeTransaction(
      idsOf(account).map((partId) => ({
        Update: accountUpdate(partId, (value, place) => ({
          // Parts that it gets meanwhile would have what it had before.
          when: ['attribute_exists(entry)', partId === id && asRead(account, 'parts', value)],
          set: [to !== null && `${place(name)} = ${value(to)}`],
          remove: [to === null && place(name)],
        })),
      })),
    );
    if (!failed) return;
  }
}

/** Changes what the account of a team, or of a further limit, is called. */
export async function nameAccount(id: string, name: string): Promise<void> {
  const update = accountUpdate(id, (value, place) => ({
    when: ['attribute_exists(entry)'],
    set: [`${place('name')} = ${value(name)}`],
  }));
  await dynamodb.send(new UpdateCommand(update));
}

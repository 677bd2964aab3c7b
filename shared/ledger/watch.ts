import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { updateItem } from '../aws/write-item.ts';
import { type Account, accountUpdate } from './account/account.ts';
import { type AccountReading, readingOf } from './read-account.ts';
import { idsOf, isPart, ownerOf } from './terms/account-ids.ts';

/** Marks an account and its parts for the ledger's stream; the account first, as later parts are marked like it. */
export async function watchAccount(accountId: string, watched: boolean): Promise<void> {
  const account = await watchItem(accountId, watched);
  if (!account) return;
  const [, ...others] = idsOf(account);
  await Promise.all(others.map((id) => watchItem(id, watched)));
}

async function watchItem(id: string, watched: boolean): Promise<Account | undefined> {
  const update = accountUpdate(id, (value) => ({
    when: ['attribute_exists(entry)'],
    set: [watched && `watched = ${value(true)}`],
    remove: [!watched && 'watched'],
  }));
  const done = await updateItem({ ...update, ReturnValues: 'ALL_NEW' });
  return done?.Attributes as Account | undefined;
}

/** A change of an account. Where it has no figures, they are to be read: the change is of a part of the account. */
export interface AccountChange {
  id: string;
  figures?: { before: AccountReading; after: AccountReading };
}

/** Finds the change of an account in a record of the ledger's stream; undefined if it tells of none. */
export function accountChange({ dynamodb = {} }: DynamoDBRecord): AccountChange | undefined {
  const [before, after] = [accountIn(dynamodb.OldImage), accountIn(dynamodb.NewImage)];
  if (!before || !after) return undefined;
  const id = ownerOf(after.key_id);
  if (after.parts !== undefined || isPart(after.key_id)) return { id };
  return { id, figures: { before: readingOf(before), after: readingOf(after) } };
}

type Image = NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];

const accountIn = (image: Image) =>
  image?.['entry']?.S === 'account'
    ? (unmarshall(image as Record<string, AttributeValue>) as Account)
    : undefined;

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { ConflictError } from '../http/errors.ts';
import { historyPut, type KeyChange, nextChange, whileUnchanged } from './history.ts';
import { type ApiKey, type IssuedKey, listItems, readKey, secretItem } from './key.ts';
import { hashSecret, newSecret } from './secret.ts';

/**
 * Gives a key a new secret. The old one works for `graceMs` more; 0 ends all older ones. Throws `NotFoundError`, or
 * `ConflictError` if the key is revoked or changed meanwhile.
 */
export async function rotateKey(
  id: string,
  graceMs: number,
  by: KeyChange['by'] = null,
): Promise<IssuedKey> {
  const old = await readKey(id);
  if (old.state === 'revoked') throw new ConflictError(`The key ${id} is revoked.`);
  const secret = newSecret();
  const secret_hash = hashSecret(secret);
  await replaceSecret(old, secret_hash, graceMs, by);
  return { ...old, secret_hash, changes: nextChange(old), api_key: secret };
}

/**
 * Replaces the secret in one transaction, as two rotations at once could leave a secret that no later one ends.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
async function replaceSecret(
  key: ApiKey,
  newHash: string,
  graceMs: number,
  by: KeyChange['by'],
): Promise<void> {
  const TableName = setting('KEYS_TABLE');
  const { id, secret_hash: oldHash } = key;
  const until = Date.now() + graceMs;
  const ends =
    graceMs > 0
      ? [{ Put: { TableName, Item: secretItem(oldHash, id, until) } }]
      : await endsOfSecrets(id);
  const { when, values } = whileUnchanged(key);
  const transaction = new TransactWriteCommand({
    TransactItems: [
      {
        Update: {
          TableName,
          Key: { id },
          ConditionExpression: `secret_hash = :old AND #state = :active AND ${when}`,
          UpdateExpression: 'SET secret_hash = :new, changes = :next',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: {
            ...values,
            ':old': oldHash,
            ':new': newHash,
            ':active': 'active',
            ':next': nextChange(key),
          },
        },
      },
      { Put: { TableName, Item: secretItem(newHash, id) } },
      ...ends,
      historyPut(key, {
        by,
        action: 'rotated',
        fields: {},
        old_secret_until: new Date(until).toISOString(),
      }),
    ],
  });
  try {
    await dynamodb.send(transaction);
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    throw new ConflictError(`The key ${id} was changed at the same moment: try again.`);
  }
}

/** Returns the writes that end all secrets of a key. Reads the whole table: a key doesn't know those in their grace. */
async function endsOfSecrets(keyId: string) {
  const secrets = await listItems<ReturnType<typeof secretItem>>('secret#');
  return secrets
    .filter(({ key_id }) => key_id === keyId)
    .map(({ id }) => ({ Delete: { TableName: setting('KEYS_TABLE'), Key: { id } } }));
}

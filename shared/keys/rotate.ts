import { setting } from '../config.ts';
import { ConflictError } from '../http/errors.ts';
import { type KeyChange, nextChange, writeChange } from './history.ts';
import { type IssuedKey, listItems, readKey, secretItem } from './key.ts';
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
  const until = Date.now() + graceMs;
  const TableName = setting('KEYS_TABLE');
  // In one transaction, as two rotations at once could leave a secret that no later one ends.
  const isChanged = await writeChange(
    old,
    { secret_hash },
    { by, action: 'rotated', fields: {}, old_secret_until: new Date(until).toISOString() },
    { Put: { TableName, Item: secretItem(secret_hash, id) } },
    ...(graceMs > 0
      ? [{ Put: { TableName, Item: secretItem(old.secret_hash, id, until) } }]
      : await endsOfSecrets(id)),
  );
  if (!isChanged)
    throw new ConflictError(`The key ${id} was changed at the same moment: try again.`);
  return { ...old, secret_hash, changes: nextChange(old), api_key: secret };
}

/** Returns the writes that end all secrets of a key. Reads the whole table: a key doesn't know those in their grace. */
async function endsOfSecrets(keyId: string) {
  const secrets = await listItems<ReturnType<typeof secretItem>>('secret#');
  return secrets
    .filter(({ key_id }) => key_id === keyId)
    .map(({ id }) => ({ Delete: { TableName: setting('KEYS_TABLE'), Key: { id } } }));
}

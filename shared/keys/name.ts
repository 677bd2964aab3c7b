import { v7 as uuidv7 } from 'uuid';
import { deleteItem, putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { ConflictError } from '../http/errors.ts';
import { listKeys } from './key.ts';

/** How long a name stays claimed if the command that claimed it dies. Giving a key a name takes far less. */
const claimMs = 60_000;

/** Returns the keys that are not revoked, by their names. */
export async function keysByName(): Promise<Map<string, string>> {
  const keys = await listKeys();
  return new Map(keys.filter(({ state }) => state !== 'revoked').map(({ name, id }) => [name, id]));
}

/**
 * Gives a key a name by `give`, unless another active key, or one of `taken`, has it. The name is claimed meanwhile,
 * so that only one of two gets it; the other gets a `ConflictError`.
 */
export async function giveName<Result>(
  name: string,
  give: () => Promise<Result>,
  keyId?: string,
  taken = keysByName,
): Promise<Result> {
  const claim = uuidv7();
  if (!(await claimName(name, claim))) {
    throw new ConflictError(`The name ${name} is being given to another at this moment.`);
  }
  try {
    const namesake = (await taken()).get(name);
    if (!namesake || namesake === keyId) return await give();
    throw new ConflictError(`The name ${name} is in use by ${namesake}: give another.`);
  } finally {
    await releaseName(name, claim);
  }
}

async function claimName(name: string, claim: string): Promise<boolean> {
  const now = Date.now();
  const claimed = await putItem({
    TableName: setting('KEYS_TABLE'),
    Item: {
      ...itemKey(name),
      claim,
      claimed_until_ms: now + claimMs,
      expires_at: Math.ceil((now + claimMs) / 1000),
    },
    ConditionExpression: 'attribute_not_exists(id) OR claimed_until_ms < :now',
    ExpressionAttributeValues: { ':now': now },
  });
  return claimed !== undefined;
}

async function releaseName(name: string, claim: string): Promise<void> {
  await deleteItem({
    TableName: setting('KEYS_TABLE'),
    Key: itemKey(name),
    ConditionExpression: 'claim = :claim',
    ExpressionAttributeValues: { ':claim': claim },
  });
}

const itemKey = (name: string) => ({ id: `name#${name}` });

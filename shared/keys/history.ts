import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { dynamodb, getItems } from '../aws/dynamodb.ts';
import { asRead, expressUpdate } from '../aws/express-update.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { KeyLimits } from './key-limits.ts';

/** The value of a field before a change and after it; null for none. */
interface FieldChange {
  old: unknown;
  new: unknown;
}

/** One change of a key or a team: an item of the keys table, whose id no listing or authorizer takes for a key's. */
export interface KeyChange {
  id: string;
  /** The key's id, or the team's. */
  key_id: string;
  /** 1 for the first change, the creation. */
  number: number;
  at: string;
  /** The operator that made it; null if unknown. */
  by: string | null;
  action: 'created' | 'changed' | 'rotated' | 'revoked';
  /** The fields that differ, by their names. No secret is among them, nor the hash of one. */
  fields: Record<string, FieldChange>;
  /** Until when a rotation lets the old secret work. */
  old_secret_until?: string;
}

/** The attributes of a change beside its number and time. */
type NewChange = Pick<KeyChange, 'by' | 'action' | 'fields' | 'old_secret_until'>;

/** The number of changes of a key or team. */
export interface Changes {
  changes: number;
}

const prefix = 'history#';
const idOf = (keyId: string, number: number) => `${prefix}${keyId}#${number}`;

/** The number of the next change. */
export const nextChange = ({ changes }: Changes) => changes + 1;

/** Makes the write of a change, for the transaction that makes the change. */
export function historyPut(key: { id: string } & Changes, change: NewChange): TransactWriteItem {
  const number = nextChange(key);
  const Item: KeyChange = {
    id: idOf(key.id, number),
    key_id: key.id,
    number,
    at: new Date().toISOString(),
    ...change,
  };
  return {
    Put: {
      TableName: setting('KEYS_TABLE'),
      Item,
      ConditionExpression: 'attribute_not_exists(id)',
    },
  };
}

/** Changes a key or team and notes it in one transaction with `beside`. Returns false if another changed it meanwhile. */
export async function writeChange(
  old: { id: string } & Changes,
  fields: object,
  change: NewChange,
  ...others: TransactWriteItem[]
): Promise<boolean> {
  const set = Object.entries({ ...fields, changes: nextChange(old) });
  const Update = expressUpdate(setting('KEYS_TABLE'), { id: old.id }, (value, name) => ({
    when: ['attribute_exists(id)', asRead(old, 'changes', value)],
    set: set.map(([field, to]) => `${name(field)} = ${value(to)}`),
  }));
  const failed = await writeTransaction([{ Update }, historyPut(old, change), ...others]);
  return failed === undefined;
}

/**
 * Changes a key or team and notes it, again after another's change. `told` makes what the history compares; `beside`
 * is noted too.
 */
export async function changeFields<Holder extends { id: string } & Changes>(
  read: () => Promise<Holder>,
  fields: Partial<Holder>,
  { by, action, beside }: Pick<KeyChange, 'by' | 'action'> & { beside?: KeyChange['fields'] },
  told: (holder: Holder) => object = (holder) => holder,
): Promise<Holder> {
  for (;;) {
    const old = await read();
    const holder = { ...old, ...fields, changes: nextChange(old) };
    const change = { by, action, fields: { ...differencesOf(told(old), told(holder)), ...beside } };
    if (await writeChange(old, fields, change)) return holder;
  }
}

/** Applies a change elsewhere, such as to the account; of two changes at once the later one stays. */
export async function followChanges<Holder extends Changes>(
  changed: Holder,
  read: () => Promise<Holder>,
  follow: (holder: Holder) => Promise<unknown>,
): Promise<void> {
  for (let holder = changed; ; ) {
    await follow(holder);
    const now = await read();
    if (now.changes === holder.changes) return;
    holder = now;
  }
}

/** The history has only fields that are named here, so that no secret gets into it. */
const told = ['name', 'state', ...Object.keys(KeyLimits.entries)];

/** Returns the fields of a key or team that have changed; all fields of a new one. */
export function differencesOf(before: object, after: object): KeyChange['fields'] {
  const valueIn = (key: object, name: string) => (key as Record<string, unknown>)[name] ?? null;
  const fields = told.map((name) => {
    const change = { old: valueIn(before, name), new: valueIn(after, name) };
    return [name, change] as const;
  });
  return Object.fromEntries(
    fields.filter(([, change]) => JSON.stringify(change.old) !== JSON.stringify(change.new)),
  );
}

/** Reads the last changes of a key or team, the newest first. */
export async function historyOf(
  key: { id: string } & Changes,
  count: number,
): Promise<KeyChange[]> {
  const last = key.changes;
  const numbers = Array.from({ length: Math.min(last, count) }, (_, index) => last - index);
  const ids = numbers.map((number) => ({ id: idOf(key.id, number) }));
  const changes: KeyChange[] = [];
  for await (const item of getItems<KeyChange>(setting('KEYS_TABLE'), ids)) changes.push(item);
  return changes.sort((a, b) => b.number - a.number);
}

/** Reads the last changes of all keys, or teams, the newest first. Reads the whole table, and keeps `count` at most. */
export async function lastChanges(of: 'key' | 'team', count: number): Promise<KeyChange[]> {
  let newest: KeyChange[] = [];
  for await (const items of itemPages<KeyChange>(`${prefix}${of}_`)) {
    newest = [...newest, ...items].sort((a, b) => (a.at > b.at ? -1 : 1)).slice(0, count);
  }
  return newest;
}

/** Reads the table's items by the beginning of their ids, page by page. Reads the whole table. */
export async function* itemPages<Item>(idPrefix: string): AsyncGenerator<Item[]> {
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: setting('KEYS_TABLE'),
      ConsistentRead: true,
      FilterExpression: 'begins_with(id, :prefix)',
      ExpressionAttributeValues: { ':prefix': idPrefix },
    },
  );
  for await (const { Items = [] } of pages) yield Items as Item[];
}

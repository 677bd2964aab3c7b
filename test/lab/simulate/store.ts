import {
  ConditionalCheckFailedException,
  ThrottlingException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { Conflicts } from './conflicts.ts';
import { holds, type Item, updated } from './expressions.ts';
import type { Load, Partitions } from './partitions.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The input of a command, as far as any of them reads it. */
export interface Input {
  TableName?: string;
  IndexName?: string;
  Key?: Item;
  Item?: Item;
  ConditionExpression?: string;
  UpdateExpression?: string;
  KeyConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
  ReturnValues?: string;
  ReturnValuesOnConditionCheckFailure?: string;
  ConsistentRead?: boolean;
  Limit?: number;
  ExclusiveStartKey?: Item;
  TransactItems?: Record<string, Input>[];
  Statements?: Statement[];
  RequestItems?: Record<string, { Keys: Item[] }>;
}

/** An insert, the one statement that the ledger sends. */
interface Statement {
  Statement: string;
  Parameters: unknown[];
}

/** What is written: an item, as it was and as it becomes. */
interface Write {
  key: string;
  entry: string;
  before: Item | undefined;
  after: Item | undefined;
  holds: boolean;
}

const $metadata = {};
const pageBytes = 1_000_000;

/**
 * The ledger's table in memory: it evaluates the conditions and updates that it is sent, takes units as DynamoDB does, and
 * refuses what a partition or the table has none left for. Each request happens in one moment.
 */
export class Store {
  /** The items of each key, by their sort keys. */
  readonly keys = new Map<string, Map<string, Item>>();
  private readonly entries = new Map<string, string[]>();
  /** Write units by the kind of item that took them. */
  readonly units: Record<string, number> = {};
  readonly throttled = { partition: 0, table: 0, read: 0 };
  readonly conflicts = new Conflicts();
  readUnits = 0;
  /** How often an account had less than nothing: more held and spent than its ceiling. */
  overspends = 0;
  /** The money that accounts hold altogether. */
  held = 0;
  private readonly due = new Map<string, Set<string>>();
  private readonly time: VirtualTime;
  private readonly partitions: Partitions;
  /** The part of all calls that comes: a page is that much smaller, and so is what all accounts write to the index. */
  private readonly sample: number;

  constructor(time: VirtualTime, partitions: Partitions, sample = 1) {
    this.sample = sample;
    this.time = time;
    this.partitions = partitions;
  }

  /** Does what a command asks for. Throws what DynamoDB would. */
  send(name: string, input: Input): unknown {
    if (name === 'GetCommand') return this.get(input);
    if (name === 'QueryCommand') return this.query(input);
    if (name === 'BatchGetCommand') return this.getMany(input);
    if (name === 'TransactGetCommand') {
      const gets = (input.TransactItems ?? []).map(({ Get = {} }) => Get);
      const ids = gets.map(({ Key = {} }) => idOf(Key).join(' '));
      this.conflicts.readTogether(ids, this.time.now);
      return { Responses: gets.map((get) => this.get(get, 2)) };
    }
    if (name === 'BatchExecuteStatementCommand') {
      return { Responses: (input.Statements ?? []).map((each) => this.insert(each)) };
    }
    if (name === 'TransactWriteCommand') return this.transact(input.TransactItems ?? []);
    if (name === 'PutCommand' || name === 'UpdateCommand' || name === 'DeleteCommand') {
      return this.writeOne(input, name);
    }
    throw new Error(`The simulation knows no ${name}`);
  }

  find(key: string, entry: string): Item | undefined {
    return this.keys.get(key)?.get(entry);
  }

  /** Whether an account is left to audit. */
  hasAudits(): boolean {
    return [...this.due.values()].some(({ size }) => size > 0);
  }

  private get({ Key = {} }: Input, factor = 1) {
    const item = this.find(...idOf(Key));
    this.read(idOf(Key)[0], factor * Math.ceil((item ? sizeOf(item) : 1) / 4096));
    return { Item: item, $metadata };
  }

  private getMany({ RequestItems = {} }: Input) {
    const found = Object.entries(RequestItems).map(([table, { Keys }]) => [
      table,
      Keys.flatMap((Key) => this.get({ Key }).Item ?? []),
    ]);
    return { Responses: Object.fromEntries(found), $metadata };
  }

  private read(key: string, units: number): void {
    if (!this.partitions.read(key, units, this.time.now)) {
      this.throttled.read += 1;
      throw throttle('read');
    }
    this.readUnits += units;
  }

  private query(input: Input) {
    const found = input.IndexName ? this.indexed(input) : this.ofKey(input);
    const order = input.IndexName ? inIndex : inKey;
    const start = input.ExclusiveStartKey;
    const next = start ? found.findIndex((item) => order(item, start) > 0) : 0;
    const from = next < 0 ? found.length : next;
    const Items: Item[] = [];
    let bytes = 0;
    for (const item of found.slice(from)) {
      Items.push(item);
      bytes += input.IndexName ? 100 : sizeOf(item);
      if (bytes >= pageBytes * (input.IndexName ? 1 : this.sample) || Items.length === input.Limit)
        break;
    }
    const isLast = from + Items.length >= found.length;
    const last = Items.at(-1);
    const key = input.IndexName ? 'audits' : String(last?.['key_id'] ?? '');
    const units = Math.ceil(Math.max(1, bytes) / 4096) / (input.ConsistentRead ? 1 : 2);
    this.read(key, units * (input.IndexName ? this.sample : 1));
    return { Items, ...(!isLast && last && { LastEvaluatedKey: last }), $metadata };
  }

  private indexed(input: Input): Item[] {
    const lane = String(input.ExpressionAttributeValues?.[':lane']);
    const bindings = bindingsOf(input);
    const keys: string[] = [...(this.due.get(lane) ?? [])];
    return keys
      .map((key) => this.find(key, 'account'))
      .filter((item) => item !== undefined)
      .filter((item) => holds(input.KeyConditionExpression, item, bindings))
      .sort(inIndex);
  }

  /** The charges of a key may be many, so that a range of them is found by bisection. */
  private ofKey(input: Input): Item[] {
    const condition = input.KeyConditionExpression ?? '';
    const [, token = ''] = condition.match(/key_id = (:\w+)/) ?? [];
    const [, from = '', to = ''] = condition.match(/BETWEEN (:\w+) AND (:\w+)/) ?? [];
    const bindings = bindingsOf(input);
    const key = String(bindings.values[token]);
    const entries = this.entries.get(key) ?? [];
    const start = from === '' ? 0 : placeOf(String(bindings.values[from]), entries);
    const end = to === '' ? entries.length : placeOf(`${bindings.values[to]}~`, entries);
    return entries
      .slice(start, end)
      .map((entry) => this.find(key, entry))
      .filter((item) => item !== undefined && holds(condition, item, bindings)) as Item[];
  }

  private writeOne(input: Input, name: string) {
    const write = this.prepare(input, name);
    this.conflicts.write(`${write.key} ${write.entry}`, this.time.now);
    this.take([write], 1);
    if (!write.holds) {
      const Item = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && write.before;
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: { httpStatusCode: 400 },
        ...(Item && { Item: Item as never }),
      });
    }
    this.keep(write);
    return { ...(input.ReturnValues === 'ALL_NEW' && { Attributes: write.after }), $metadata };
  }

  private transact(items: Record<string, Input>[]) {
    const writes = items.map((item) => {
      const [[name = '', input = {}] = []] = Object.entries(item);
      return this.prepare(input, `${name}Command`);
    });
    const ids = writes.map(({ key, entry }) => `${key} ${entry}`);
    this.conflicts.writeTogether(ids, this.time.now);
    try {
      this.take(writes, 2);
    } catch {
      throw cancelled(writes.map(() => 'ThrottlingError'));
    }
    if (writes.some((write) => !write.holds)) {
      throw cancelled(writes.map((write) => (write.holds ? 'None' : 'ConditionalCheckFailed')));
    }
    for (const write of writes) this.keep(write);
    return { $metadata };
  }

  /** Puts an item that isn't there. What fails says so in its own response, and is not sent again. */
  private insert({ Statement, Parameters }: Statement) {
    const names = [...Statement.matchAll(/'(\w+)': \?/g)].map(([, name]) => name as string);
    const Item = Object.fromEntries(names.map((name, index) => [name, Parameters[index]]));
    try {
      this.writeOne({ Item, ConditionExpression: 'attribute_not_exists(entry)' }, 'PutCommand');
      return {};
    } catch (error) {
      const isThere = error instanceof ConditionalCheckFailedException;
      return { Error: { Code: isThere ? 'DuplicateItem' : 'ThrottlingError' } };
    }
  }

  private prepare(input: Input, name: string): Write {
    const [key, entry] = idOf(input.Key ?? input.Item ?? {});
    const before = this.find(key, entry);
    const bindings = bindingsOf(input);
    const isHeld = holds(input.ConditionExpression, before, bindings);
    const id = { key, entry, before, holds: isHeld };
    if (!isHeld || name === 'ConditionCheckCommand') return { ...id, after: before };
    if (name === 'DeleteCommand') return { ...id, after: undefined };
    if (input.Item) return { ...id, after: defined(input.Item) };
    const from = before ?? { key_id: key, entry };
    return { ...id, after: updated(input.UpdateExpression ?? '', from, bindings) };
  }

  /** Notes a sort key in its place, which for a charge is near the end. */
  private enter(key: string, entry: string): void {
    const entries = this.entries.get(key) ?? [];
    this.entries.set(key, entries);
    entries.splice(placeOf(entry, entries), 0, entry);
  }

  private take(writes: Write[], factor: number): void {
    const loads = writes.flatMap((write) => loadsOf(write, factor, this.sample));
    const refusedBy = this.partitions.write(loads, this.time.now);
    if (refusedBy) {
      this.throttled[refusedBy] += 1;
      throw throttle(refusedBy);
    }
    for (const { entry, units } of loads) {
      const kind = entry.replace(/_.*/, '');
      this.units[kind] = (this.units[kind] ?? 0) + units;
    }
  }

  private keep({ key, entry, before, after }: Write): void {
    const items = this.keys.get(key) ?? new Map<string, Item>();
    this.keys.set(key, items);
    if (after && !items.has(entry)) this.enter(key, entry);
    if (after) items.set(entry, after);
    else items.delete(entry);
    if (entry !== 'account') return;
    this.held += amount(after, 'held') - amount(before, 'held');
    if (after && before && amount(after, 'available') < Math.min(0, amount(before, 'available'))) {
      this.overspends += 1;
    }
    const lane = String(after?.['audit_lane'] ?? before?.['audit_lane']);
    const due = this.due.get(lane) ?? new Set<string>();
    this.due.set(lane, due);
    if (after?.['audit_at'] === undefined) due.delete(key);
    else due.add(key);
  }
}

const amount = (item: Item | undefined, name: string) => (item?.[name] as number | undefined) ?? 0;

const idOf = (key: Item): [key: string, entry: string] => [
  String(key['key_id']),
  String(key['entry']),
];

const bindingsOf = (input: Input) => ({
  names: input.ExpressionAttributeNames ?? {},
  values: input.ExpressionAttributeValues ?? {},
});

const compared = (a: unknown, b: unknown) =>
  String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;

const inKey = (a: Item, b: Item) => compared(a['entry'], b['entry']);

/** Where a sort key belongs among others in order. */
function placeOf(entry: string, entries: readonly string[]): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as string) < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}

const inIndex = (a: Item, b: Item) =>
  compared(a['audit_at'], b['audit_at']) || compared(a['key_id'], b['key_id']);

const defined = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

/** The units of a write: of the larger of both items by the KB, and of the index where its sort key changes. */
function loadsOf({ key, entry, before, after }: Write, factor: number, sample: number): Load[] {
  const bytes = Math.max(1, before ? sizeOf(before) : 0, after ? sizeOf(after) : 0);
  const load = { key, entry, units: factor * Math.ceil(bytes / 1024) };
  const [was, is] = [before?.['audit_at'], after?.['audit_at']];
  if (was === is) return [load];
  const units = sample * ((was === undefined ? 0 : 1) + (is === undefined ? 0 : 1));
  const lane = String(after?.['audit_lane'] ?? before?.['audit_lane']);
  return [load, { key: `audits ${lane}`, entry: 'index', units }];
}

/**
 * How large DynamoDB takes an item to be.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function sizeOf(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += name.length + sizeOfValue(item[name]);
  return bytes;
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') {
    return value === 0 ? 1 : 2 + Math.ceil((Math.floor(Math.log10(Math.abs(value))) + 1) / 2);
  }
  if (value === null || typeof value === 'boolean') return 1;
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + 1 + sizeOfValue(each), 3);
  return 3 + sizeOf(value as Item);
}

const cancelled = (codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

const throttle = (by: string) =>
  new ThrottlingException({
    message: `Throughput exceeds the capacity of the ${by}`,
    $metadata: { httpStatusCode: 400 },
  });

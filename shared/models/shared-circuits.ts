import { abortable } from '../abortable.ts';
import { getItem, queryItems } from '../aws/dynamodb.ts';
import { putItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { type Circuit, circuitNamed } from './circuit.ts';

/*
 * The circuits of all processes: an item in the ledger's table for each that isn't well. It is read beside the hold of a
 * call, and written when it changes, on the condition that it is as it was read: so one process has a call try again.
 * Without the store, each process goes by what it saw itself.
 * @see https://docs.aws.amazon.com/powertools/python/latest/utilities/circuit_breaker/
 */

/** A process reads no more often, and no call waits longer for it. */
const readEveryMs = 1_000;
const readTimeoutMs = 250;
const writeTimeoutMs = 1_000;
const clocksDifferMs = 5_000;
/** An item names no more keys than failed last: some 4 KB. */
const maxToldKeys = 40;
const maxTries = 5;

interface CircuitItem {
  key_id: 'deployment';
  entry: string;
  /** Rises with each write: the writer's clock, or one more than before. */
  version: number;
  state: string;
  expires_at: number;
}

/** What this process knows of an item, and its changes that are not in it yet. */
interface Writing {
  version: number;
  changes: (() => unknown)[];
  underWay?: Promise<void> | undefined;
}

const writings = new Map<string, Writing>();
let reading: { atMs: number; done: Promise<void> } | undefined;

/** Reads what other processes know of circuits, unless this one has just done so. */
export function readCircuits(): Promise<void> {
  if (reading && Math.abs(Date.now() - reading.atMs) < readEveryMs) return reading.done;
  reading = { atMs: Date.now(), done: within(readTimeoutMs, readAll()) };
  return reading.done;
}

/** Changes a circuit, in the other processes too. It is changed again where one of them was faster. */
export async function changeCircuit<Result>(name: string, change: () => Result): Promise<Result> {
  let result: Result | undefined;
  const again = () => {
    result = change();
  };
  const circuit = circuitNamed(name);
  if (reading) circuit.skewMs = clocksDifferMs;
  const before = toldOf(circuit);
  again();
  if (reading && toldOf(circuit) !== before) {
    const writing = writingOf(name);
    writing.changes.push(again);
    writing.underWay ??= within(writeTimeoutMs, write(name, writing)).finally(() => {
      writing.changes = [];
      writing.underWay = undefined;
    });
    await writing.underWay;
  }
  return result as Result;
}

async function readAll(): Promise<void> {
  const items = queryItems<CircuitItem>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :deployment AND begins_with(entry, :circuit)',
    ExpressionAttributeValues: { ':deployment': 'deployment', ':circuit': entryOf('') },
  });
  for await (const item of items) {
    const name = item.entry.slice(entryOf('').length);
    const { version, underWay } = writingOf(name);
    if (!underWay && item.version > version) takeOver(name, item);
  }
}

async function write(name: string, writing: Writing): Promise<void> {
  for (let tries = 0; writing.changes.length > 0 && tries < maxTries; ) {
    const written = writing.changes.length;
    if (await put(name, writing)) {
      writing.changes.splice(0, written);
      tries = 0;
      continue;
    }
    tries += 1;
    const key = { key_id: 'deployment', entry: entryOf(name) };
    const item = await getItem<CircuitItem>(setting('LEDGER_TABLE'), key);
    if (item) takeOver(name, item);
    const before = toldOf(circuitNamed(name));
    for (const again of writing.changes) again();
    if (toldOf(circuitNamed(name)) === before) return;
  }
}

/** Returns whether the item was as this process knew it. */
async function put(name: string, writing: Writing): Promise<boolean> {
  const version = Math.max(Date.now(), writing.version + 1);
  const item: CircuitItem = {
    key_id: 'deployment',
    entry: entryOf(name),
    version,
    state: toldOf(circuitNamed(name)),
    expires_at: Math.floor(Date.now() / 1000) + 86_400,
  };
  const isPut = await putItem({
    TableName: setting('LEDGER_TABLE'),
    Item: item,
    ConditionExpression: 'attribute_not_exists(version) OR version = :known',
    ExpressionAttributeValues: { ':known': writing.version },
  });
  if (!isPut) return false;
  writing.version = version;
  return true;
}

const toldOf = ({ open, keys, pausedKeyIds, toldSuccessMs }: Circuit) =>
  JSON.stringify({
    open: open && { ...open, keyIds: [...open.keyIds].slice(-maxToldKeys) },
    keys: [...keys].slice(-maxToldKeys),
    pausedKeyIds: [...pausedKeyIds].slice(-maxToldKeys),
    toldSuccessMs,
  });

function takeOver(name: string, { version, state }: CircuitItem): void {
  const { open, keys, pausedKeyIds, toldSuccessMs } = JSON.parse(state);
  const circuit = circuitNamed(name);
  circuit.open = open && { ...open, keyIds: new Set(open.keyIds) };
  circuit.keys = new Map(keys);
  circuit.pausedKeyIds = new Set(pausedKeyIds);
  circuit.toldSuccessMs = toldSuccessMs ?? Number.NEGATIVE_INFINITY;
  circuit.lastSuccessMs = Math.max(circuit.lastSuccessMs, circuit.toldSuccessMs);
  writingOf(name).version = version;
}

const entryOf = (name: string) => `circuit_${name}`;

function writingOf(name: string): Writing {
  const writing: Writing = writings.get(name) ?? { version: 0, changes: [] };
  writings.set(name, writing);
  return writing;
}

/** Awaits what is done at the store for so long, and no error of it. */
const within = (ms: number, work: Promise<void>) =>
  abortable(work, AbortSignal.timeout(ms)).catch((error: unknown) =>
    log('warn', 'circuits not shared', errorFields(error)),
  );

import {
  ConditionalCheckFailedException,
  ThrottlingException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { cases } from '../../support/run/cases.ts';
import { checkBooks } from './check-books.ts';
import { holds, updated } from './expressions.ts';
import { Partitions } from './partitions.ts';
import { simulate } from './simulation.ts';
import { Store } from './store.ts';
import { VirtualTime } from './virtual-time.ts';

const newStore = (partitionWrites = 1_000) => {
  const time = new VirtualTime(0);
  const limits = { partitionWrites, partitionReads: 3_000, tableWrites: 40_000 };
  const partitions = new Partitions({ ...limits, splitAfterMs: 2_000 }, 0);
  return { time, partitions, store: new Store(time, partitions) };
};

const put = (store: Store, item: object) => store.send('PutCommand', { Item: { ...item } });

it('finds nothing overspent, lost or different where answers get lost and processes die', async () => {
  const options = {
    ...{ rate: cases(15, 40), keys: 10, hottest: 0.3, inTeam: true, minutes: 1, sample: 1 },
    ...{
      callSeconds: 3,
      concurrency: 1_000,
      sandboxCalls: 1,
      sweeps: 3,
      warm: true,
      gatewayRate: 10_000,
    },
    ...{ tableUnits: 40_000, splitMinutes: 5, faults: 0.01, deaths: 0.01, environment: {} },
  };

  const { books, counts, queue } = await simulate(options, () => {});

  expect(books).toEqual({ overspent: 0, lost: 0, different: 0, stillHeld: 0 });
  expect(counts.finished).toBeGreaterThan(cases(400, 1_000));
  expect(counts.died).toBeGreaterThan(0);
  expect(queue.handedOver).toBeGreaterThan(0);
  expect(counts.refused['budget_exceeded']).toBeGreaterThan(0);
}, 120_000);

it.each([
  ['', 1, {}],
  [' with leases', 64, { LEASES: 'on' }],
])(
  'carries a thousand calls a second of nearly one key in parts%s',
  async (_, sandboxCalls, environment) => {
    const options = {
      ...{ rate: 1_000, keys: 10, hottest: 0.98, inTeam: false, minutes: 1, sample: 0.05 },
      ...{ callSeconds: 3, concurrency: 10_000, sandboxCalls, warm: true, gatewayRate: 10_000 },
      ...{ tableUnits: 40_000, splitMinutes: 5, sweeps: 1, faults: 0.0001, deaths: 0, environment },
    };

    const { books, counts } = await simulate(options, () => {});

    expect(books).toEqual({ overspent: 0, lost: 0, different: 0, stillHeld: 0 });
    const { budget_exceeded: spent = 0 } = counts.refused;
    expect(counts.finished + spent).toBeGreaterThan(0.97 * counts.calls);
    expect(counts.grown[0]).toMatchObject({ parts: 8 });
    expect(counts.grown[0]?.seconds).toBeLessThan(4);
  },
  120_000,
);

it('tells of a charge that lacks and isn’t waiting, of one that costs more than a budget, and of an account that differs', () => {
  const { store } = newStore();
  put(store, { key_id: 'k', entry: 'account', ceiling: 10, spent: 5, held: 1, available: 4 });
  put(store, { key_id: 'k', entry: 'charge_1', window: 0, cost: 11, team: 't' });
  put(store, { key_id: 't', entry: 'account', ceiling: 20, spent: 10, held: 0, available: 10 });
  const finished = [
    { keyId: 'k', entry: 'charge_1', cost: 11 },
    { keyId: 'k', entry: 'charge_2', cost: 1 },
    { keyId: 'k', entry: 'charge_3', cost: 1 },
  ];

  const books = checkBooks(store, finished, new Map([['charge_3', 1]]));

  expect(books).toEqual({ overspent: 1, lost: 1, different: 2, stillHeld: 1 });
});

it('counts an account that has less than nothing', () => {
  const { store } = newStore();
  const Key = { key_id: 'k', entry: 'account' };
  put(store, { ...Key, available: 1 });

  store.send('UpdateCommand', {
    Key,
    UpdateExpression: 'SET available = available - :two',
    ExpressionAttributeValues: { ':two': 2 },
  });

  expect(store.overspends).toBe(1);
});

it('refuses what a partition has no units for, and gives an account its own after a while of heat', () => {
  const { time, partitions, store } = newStore(2);
  const charge = { key_id: 'k', entry: 'charge_1' };
  const fill = () => {
    put(store, charge);
    put(store, charge);
    expect(() => put(store, charge)).toThrow(ThrottlingException);
  };
  fill();
  time.now += 1_000;
  fill();

  put(store, { key_id: 'k', entry: 'account', available: 1 });

  expect(partitions.splits).toBe(1);
  expect(store.throttled.partition).toBe(2);
});

it('cancels a transaction that a partition has no units for, and refuses what meets one under way', () => {
  const { time, store } = newStore(2);
  const Put = { Item: { key_id: 'k', entry: 'charge_1' } };
  const transact = () => store.send('TransactWriteCommand', { TransactItems: [{ Put }] });
  transact();
  expect(() => put(store, Put.Item)).toThrow(TransactionConflictException);

  time.now += 10;

  expect(transact).toThrow(
    expect.objectContaining({ CancellationReasons: [{ Code: 'ThrottlingError' }] }),
  );
});

it('takes a unit for each KB, and two where the place in the index changes', () => {
  const { store } = newStore();
  const account = { key_id: 'k', entry: 'account', audit_lane: 'accounts' };
  put(store, { ...account, audit_at: '1' });
  put(store, { ...account, audit_at: '2' });
  put(store, { key_id: 'k', entry: 'charge_1', metadata: 'x'.repeat(1_100) });

  expect(store.units).toEqual({ account: 2, index: 3, charge: 2 });
});

it('tells of a failed condition with the item that failed it', () => {
  const { store } = newStore();
  put(store, { key_id: 'k', entry: 'account', available: 1 });
  const change = {
    Key: { key_id: 'k', entry: 'account' },
    ConditionExpression: 'available >= :two',
    ExpressionAttributeValues: { ':two': 2 },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };

  const send = () => store.send('UpdateCommand', change);

  expect(send).toThrow(ConditionalCheckFailedException);
  expect(send).toThrow(
    expect.objectContaining({ Item: expect.objectContaining({ available: 1 }) }),
  );
});

it.each([
  ['a = :one', true],
  ['a < :one OR b = :one AND a = :one', false],
  ['(a = :one OR b = :one) AND attribute_not_exists(b)', true],
  ['b < :one', false],
  ['NOT attribute_exists(#n) AND a BETWEEN :one AND :one', true],
  ['b <> :one', true],
])('reads the condition %s as DynamoDB does', (condition, expected) => {
  const by = { names: { '#n': 'b' }, values: { ':one': 1 } };

  expect(holds(condition, { a: 1 }, by)).toBe(expected);
});

it('adds up the attributes as they were before an update', () => {
  const by = { names: { '#n': 'new' }, values: { ':one': 1 } };

  const item = updated(
    'SET a = b + :one, b = a, #n = if_not_exists(#n, :one) - :one REMOVE c',
    { a: 1, b: 2, c: 3 },
    by,
  );

  expect(item).toEqual({ a: 3, b: 1, new: 0 });
});

it('refuses an expression that it can’t read', () => {
  expect(() => holds('size(a) > :one', {}, { names: {}, values: {} })).toThrow("Can't read");
});

import { randomUUID } from 'node:crypto';
import { InternalServerError } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { detailError } from '../../shared/http/error-response.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { type Hold, reserve } from '../../shared/ledger/reserve.ts';
import { settle, settleWith } from '../../shared/ledger/settle.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { writtenLines } from '../support/run/output.ts';
import { startThrottledStore } from '../support/servers/throttled-store.ts';
import { minuteMs, pass, stopClock } from '../support/worlds/clock.ts';
import { accountOf, chargesOf, expectAtRest, usd } from '../support/worlds/ledger-world.ts';
import { useStore } from '../support/worlds/store.ts';

await useStore({ queues: true });
const unitsPerSecond = 20;
const store = await startThrottledStore(
  String(process.env['AWS_ENDPOINT_URL_DYNAMODB']),
  unitsPerSecond,
);
process.env['AWS_ENDPOINT_URL_DYNAMODB'] = store.url;
afterAll(() => store.close());

vi.setConfig({ testTimeout: 120_000 });

const subject = { model: 'gpt-5-mini', tags: ['chat'] };
const outcome = {
  costNanoUsd: 40,
  figures: 'exact',
  promptTokens: 1,
  completionTokens: 1,
} as const;

async function newAccount(): Promise<string> {
  const keyId = `key_${randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), {
    budget_usd: usd(1_000_000),
    duration: null,
    requests_per_minute: null,
    max_concurrent: null,
  });
  return keyId;
}

/** Holds so many calls at once. Returns those that the store let through. */
async function holdAtOnce(keyId: string, calls: number): Promise<Hold[]> {
  const tries = await Promise.allSettled(
    Array.from({ length: calls }, () => reserve(keyId, 100, subject)),
  );
  return tries.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

async function expectAllPaid(keyId: string, calls: number): Promise<void> {
  const spent = calls * outcome.costNanoUsd;
  expect(await chargesOf(keyId)).toHaveLength(calls);
  expect(await accountOf(keyId)).toMatchObject({ held: 0, running: 0, spent });
  stopClock();
  pass(26 * minuteMs);
  await sweepLedger();
  expectAtRest(await accountOf(keyId));
  expect(await accountOf(keyId)).toMatchObject({ spent });
  expect(writtenLines().join('\n')).not.toContain('account put right');
}

const rounds: [string, (hold: Hold) => Promise<unknown>][] = [
  ['settled', (hold) => settle(hold, outcome)],
  ['settled with what they made', (hold) => settleWith(hold, outcome, { writes: [] })],
];

it.each(rounds)(
  'calls that are %s are all paid and leave nothing held, though their key’s partition takes a few of their writes a second',
  { tags: 'exhaustive' },
  async (_, end) => {
    const keyId = await newAccount();
    const held = await holdAtOnce(keyId, 60);
    const refusedBefore = store.refused;

    const ends = await Promise.allSettled(held.map(end));

    expect(held.length).toBeGreaterThan(unitsPerSecond / 2);
    expect(store.refused).toBeGreaterThan(refusedBefore);
    expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
    await expectAllPaid(keyId, held.length);
  },
);

it('a call that a throttled partition takes no hold of is refused with a 503 that says when to try again', {
  tags: 'exhaustive',
}, async () => {
  const busyKeyId = `key_${randomUUID()}`;
  store.unitsPerSecond = 0;

  const refusal = await reserve(busyKeyId, 100, subject).catch((error: unknown) => error);
  store.unitsPerSecond = unitsPerSecond;

  const { statusCode, headers } = detailError(refusal, 'a-request');
  expect(statusCode).toBe(503);
  expect(headers).toMatchObject({ 'retry-after': expect.any(String) });
});

it('a charge is written once DynamoDB is back, however its tries have failed', {
  tags: 'exhaustive',
}, async () => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);
  const fault = new InternalServerError({ message: '', $metadata: { httpStatusCode: 500 } });
  let failures = 0;
  // More than the client tries by itself, and few enough for the caller's patience where it has no tries left.
  const most = 7;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      if (!JSON.stringify(args.input).includes('"ended_at"') || failures === most)
        return next(args);
      failures += 1;
      throw fault;
    },
    { step: 'deserialize', priority: 'low', name: 'failSomeTimes', override: true },
  );

  await settle(hold, outcome);

  expect(failures).toBe(most);
  await expectAllPaid(keyId, 1);
});

it('a call whose charge can’t be written is counted, for the alarm', async () => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      if (JSON.stringify(args.input).includes('"ended_at"')) throw new Error('refused for good');
      return next(args);
    },
    { step: 'deserialize', priority: 'low', name: 'failCharge', override: true },
  );

  await settle(hold, outcome);

  const lines = writtenLines().map((line) => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining({ UnsettledCalls: 1 }));
});

it('a call whose charge can be neither written nor handed over is an error', async () => {
  const keyId = await newAccount();
  const hold = await reserve(keyId, 100, subject);
  process.env['LATE_CALLS_QUEUE_URL'] += '-not-there';

  await expect(settle(hold, outcome)).rejects.toThrow('could not be settled');
});

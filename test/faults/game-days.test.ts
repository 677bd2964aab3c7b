import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { leaseMs } from '../../shared/jobs/engine/item/job.ts';
import type { JobRecord } from '../../shared/jobs/routes/record.ts';
import { sweepJobs } from '../../shared/jobs/work/sweep.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import type { Fault } from '../support/instrument/call-faults.ts';
import { instrumented, writeFaults } from '../support/instrument/instrumented.ts';
import { cases } from '../support/run/cases.ts';
import { call, chatJob, read, type Target, until } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';
import { poll } from '../support/servers/poll.ts';

// Something that ours stands on fails for a while, and callers go on calling. `QUIRE_OUTAGE_SECONDS=60` makes it a
// minute; each game day then prints what its callers saw, and how long it took until all was normal.

const wished = process.env['QUIRE_OUTAGE_SECONDS'];
const outageMs = Number(wished ?? cases(0.4, 2)) * 1000;
vi.setConfig({ testTimeout: 120_000 + 10 * outageMs });
const stub = await useModelStub();
const stages = useOwnStages();
const dataDir = stages.newDataDir();
const faultsFile = join(dataDir, 'faults.json');
const stage = await stages.start({
  dataDir,
  memory: true,
  env: { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: stub.url, ...instrumented({ faults: faultsFile }) },
});

/** Has calls of functions meet these faults from now on. */
const setFaults = (faults: Fault[]) => writeFaults(faultsFile, faults);

const task = 'do this';
const messages = [{ role: 'user', content: 'are you there?' }];
const calls: [name: string, method: string, path: string, body?: object][] = [
  ['submit', 'POST', '/batch/jobs', chatJob(task)],
  ['list', 'GET', '/batch/jobs'],
  ['limits', 'GET', '/user/limits'],
  ['complete', 'POST', '/v1/chat/completions', { model: 'gpt-5-mini', messages }],
];

interface GameDay {
  /** How often each call was answered by which status. */
  seen: Record<string, number>;
  /** The answers of 503. */
  unavailable: { headers: Headers; body: unknown; name: string }[];
  /** The jobs that were accepted, once they have ended. */
  jobs: JobRecord[];
  /** How many of them asked the model while the outage lasted, by the model's clock. */
  startedInIt: number;
  /** How long it took to submit a job that is too large for the table. */
  largeTookMs: number;
  /** From the end of the outage until a call of each kind, and all jobs, had succeeded. */
  normalAfterMs: number;
}

interface Options {
  /** Workers are lost, with what they held: tests don't wait for the sweep that finds their jobs, nor for the audit. */
  losesWorkers?: boolean;
}

/** Runs an outage: callers call all the while, beside one who submits a large job. */
async function gameDay(
  begin: () => void,
  end: () => void,
  { losesWorkers }: Options = {},
): Promise<GameDay> {
  const caller = await newCaller({ ...stage, dataDir }, { budget_usd: 10 });
  const seen: Record<string, number> = {};
  const unavailable: GameDay['unavailable'] = [];
  const accepted = new Set<string>();
  const callAll = async () => {
    const statuses = await Promise.all(
      calls.map(async ([name, method, path, body]) => {
        const answered = await call<{ id: string }>(caller, method, path, body);
        const { status, body: answer } = answered;
        if (status === 503) unavailable.push({ ...answered, name });
        const key = `${name} ${status}`;
        seen[key] = (seen[key] ?? 0) + 1;
        if (status === 202) accepted.add(answer.id);
        return status;
      }),
    );
    return statuses.every((status) => status < 300);
  };

  begin();
  const startedAt = Date.now();
  const untilMs = startedAt + outageMs;
  const large = submitAnyhow(caller, chatJob('x'.repeat(150_000)));
  const largeTookMs = large.then(() => Date.now() - untilMs + outageMs);
  while (Date.now() < untilMs) await Promise.all([callAll(), setTimeout(200)]);
  end();
  const duringIt = { ...seen };
  const endedAt = Date.now();
  await poll(callAll, (isWell) => isWell);
  accepted.add((await large).id);
  if (losesWorkers && !wished) {
    await sweepAfterLeases();
    // A message that reached a dying worker is lost: the sweep would send another, and so do other jobs.
    const ids = [...accepted];
    const callAndRead = async () => {
      await callAll();
      return Promise.all(ids.map((id) => read(caller, id)));
    };
    await poll(callAndRead, (jobs) => jobs.every(({ completed_at }) => completed_at));
  }
  const jobs = await Promise.all([...accepted].map((id) => until(caller, id)));
  const normalAfterMs = Date.now() - endedAt;
  if (losesWorkers) await auditAfterEpochs();
  await settled(caller);
  const startedInIt = stub.requests.filter(
    ({ body, at }) => body.messages[0]?.content === task && at >= startedAt && at < endedAt,
  ).length;
  const day = { seen: duringIt, startedInIt, normalAfterMs, largeTookMs: await largeTookMs };
  if (wished) writeSync(1, `${JSON.stringify({ ...day, jobs: jobs.length })}\n`);
  return { ...day, jobs, unavailable };
}

/** Submits a job as a client does that is told to try again: under one idempotency key, so that there is one job. */
async function submitAnyhow(caller: Target, job: object): Promise<JobRecord> {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const { body } = await poll(
    () => call<JobRecord>(caller, 'POST', '/batch/jobs', job, headers),
    ({ status }) => status === 202,
  );
  return body;
}

/** Sweeps the stage's jobs as its sweep does, once the leases of lost workers have ended. */
async function sweepAfterLeases(): Promise<void> {
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}));
  vi.stubEnv('JOBS_TABLE', TableNames.find((name) => name.includes('jobstable')) ?? '');
  await later(leaseMs + 1_000, () => sweepJobs(['chat#0']));
}

/** Audits the stage's accounts as its sweep does, once no call can be under way any more. */
const auditAfterEpochs = () => later(25 * 60_000, sweepLedger);

async function later(ms: number, work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Expects each 503 to be told as its surface does, with when to try again. */
function expectRetryable({ unavailable }: GameDay): void {
  const detail = 'The service is unavailable for a moment. Try again shortly.';
  const error = { message: detail, type: 'server_error', param: null, code: 'service_unavailable' };
  for (const { name, headers, body } of unavailable) {
    expect(headers.get('retry-after')).toBe('2');
    // The gateway answers for a function that a busy machine gave no time.
    const isOfGateway = name !== 'complete' && 'error' in (body as object);
    const ofGateway = { type: 'error', error: { code: error.code } };
    const own = name === 'complete' ? { error } : { detail };
    expect(body).toMatchObject(isOfGateway ? ofGateway : own);
  }
}

/** Waits until nothing is held any more for a caller whose calls have all ended. */
const settled = (caller: Target) =>
  poll(
    () => call<{ budget: { held_usd: number } }>(caller, 'GET', '/user/limits'),
    ({ body }) => body.budget.held_usd === 0,
  );

const during = (faults: Fault[], options?: Options) =>
  gameDay(
    () => setFaults(faults),
    () => setFaults([]),
    options,
  );

/** What callers saw, without how often. */
const kinds = ({ seen }: GameDay) => Object.keys(seen).toSorted();
const unfinished = ({ jobs }: GameDay) => jobs.filter(({ status }) => status !== 'done');

it('DynamoDB throttles the ledger: who spends is refused, all others notice nothing, no job is lost', {
  tags: 'exhaustive',
}, async () => {
  const code = 'ThrottlingException';
  const day = await during([{ action: 'dynamodb:*', resource: '*ledger*', code, statusCode: 400 }]);

  expect(kinds(day)).toEqual(['complete 503', 'limits 503', 'list 200', 'submit 202']);
  expectRetryable(day);
  expect(unfinished(day)).toEqual([]);
});

it('DynamoDB takes no charges: who was answered waits a little, and the charge is booked later', {
  tags: 'exhaustive',
}, async () => {
  const code = 'ThrottlingException';
  const charges = { action: 'dynamodb:PutItem', resource: '*ledger*' };
  const day = await during([{ ...charges, code, statusCode: 400 }]);

  expect(kinds(day)).toEqual(['complete 200', 'limits 200', 'list 200', 'submit 202']);
  expect(unfinished(day)).toEqual([]);
});

it('DynamoDB fails for the jobs: nothing is accepted, and callers are told to try again', {
  tags: 'exhaustive',
}, async () => {
  const fault = { code: 'InternalServerError', statusCode: 500 };
  const day = await during([{ action: 'dynamodb:*', resource: '*jobstable*', ...fault }]);

  expect(kinds(day)).toEqual(['complete 200', 'limits 200', 'list 503', 'submit 503']);
  expectRetryable(day);
  expect(unfinished(day)).toEqual([]);
});

it('DynamoDB throttles the keys: a key that the gateway has not seen is told to try again', {
  tags: 'exhaustive',
}, async () => {
  const code = 'ProvisionedThroughputExceededException';
  const day = await during([
    { action: 'dynamodb:*', resource: '*keystable*', code, statusCode: 400 },
  ]);

  expect(kinds(day)).toEqual(['complete 503', 'limits 503', 'list 503', 'submit 503']);
  expectRetryable(day);
  expect(unfinished(day)).toEqual([]);
});

it('SQS takes no messages: jobs are accepted as ever, and start when it does', async () => {
  const fault = { code: 'ServiceUnavailable', statusCode: 503 };
  const day = await during([{ action: 'sqs:SendMessage', resource: '*', ...fault }]);

  expect(day.startedInIt).toBe(0);
  expect(kinds(day)).toEqual(['complete 200', 'limits 200', 'list 200', 'submit 202']);
  expect(unfinished(day)).toEqual([]);
});

it('S3 is slow: only what is large waits for it', { tags: 'exhaustive' }, async () => {
  const day = await during([{ action: 's3:*', resource: '*', delayMs: 1_000 }]);

  expect(day.largeTookMs).toBeGreaterThanOrEqual(1_000);
  expect(day.startedInIt).toBeGreaterThan(0);
  expect(kinds(day)).toEqual(['complete 200', 'limits 200', 'list 200', 'submit 202']);
  expect(unfinished(day)).toEqual([]);
});

it('the provider is down: answers are 503, jobs wait for it', { tags: 'exhaustive' }, async () => {
  const day = await gameDay(
    () => stub.respond({ kind: 'status', status: 503 }),
    () => stub.respond([]),
  );

  expect(kinds(day)).toEqual(expect.arrayContaining(['limits 200', 'list 200', 'submit 202']));
  expect(kinds(day)).toContain('complete 503');
  expect(unfinished(day)).toEqual([]);
});

it('functions run out of memory: who is answered by them sees 503, jobs run again, what was held comes back', {
  tags: 'exhaustive',
}, async () => {
  const charges = { action: 'dynamodb:PutItem', resource: '*ledger*', outOfMemory: true } as const;
  const day = await during(
    [
      { ...charges, function: 'create-chat-completion' },
      { ...charges, function: 'run-chat-job' },
    ],
    { losesWorkers: true },
  );

  expect(kinds(day)).toEqual(['complete 503', 'limits 200', 'list 200', 'submit 202']);
  expect(unfinished(day)).toEqual([]);
  expect(day.jobs.filter(({ retry_count }) => retry_count > 0)).toEqual([]);
});

it.each([
  ['of all functions are 30 seconds ahead', '*', 30_000],
  ['of all functions are 30 seconds behind', '*', -30_000],
  ['of workers alone are 30 seconds behind', 'run-chat-job', -30_000],
  ['of submissions alone are 30 seconds ahead', 'submit-job', 30_000],
])(
  'clocks %s: nobody notices, and jobs start at once',
  { tags: 'exhaustive' },
  async (_, clockOf, aheadMs) => {
    const day = await during([{ clockOf, aheadMs }]);

    expect(kinds(day)).toEqual(['complete 200', 'limits 200', 'list 200', 'submit 202']);
    expect(unfinished(day)).toEqual([]);
    expect(day.jobs.filter(({ retry_count }) => retry_count > 0)).toEqual([]);
    expect(day.startedInIt).toBeGreaterThan(0);
  },
);

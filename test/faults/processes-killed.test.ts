import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import type { Fault } from '../support/instrument/call-faults.ts';
import { instrumented, writeFaults } from '../support/instrument/instrumented.ts';
import { call, chatJob, read, submit, type Target, until } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { chunk, streamOf } from '../support/servers/model-stub-pieces.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { poll } from '../support/servers/poll.ts';
import { commandLine, startedBy } from '../support/servers/processes.ts';
import { newDataDir } from '../support/servers/stage.ts';

const faults = join(newDataDir(), 'faults.json');
const stub = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: stub.url, ...instrumented({ faults }) },
});
Object.assign(process.env, clientEnvironment, {
  AWS_SECRET_ACCESS_KEY: stage.secret_access_key,
  AWS_ENDPOINT_URL_DYNAMODB: stage.dynamodb_url,
  KEYS_TABLE: stage.outputs['KeysTable'],
  LEDGER_TABLE: stage.outputs['LedgerTable'],
});

const setFaults = (now: Fault[]) => writeFaults(faults, now);

async function newCaller(): Promise<Target> {
  const { api_key } = await issueKey('killed', defaultLimits);
  return { base_url: stage.base_url, api_key };
}

/** The processes of the stage whose command lines fit. */
const processes = (fits: RegExp) =>
  startedBy(stage.process.pid ?? 0).filter((pid) => {
    const line = commandLine(pid);
    return fits.test(line) && !line.startsWith('/bin/sh');
  });

/** Kills all of them, of which there must be one, and waits until the stage has seen it: what is sent before is lost. */
async function kill(fits: RegExp): Promise<void> {
  const ends = () => stage.lines.filter((line) => /ended by SIGKILL/.test(line) && fits.test(line));
  const pids = processes(fits);
  const before = ends().length;
  expect(pids.length, 'processes to kill').toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await poll(ends, ({ length }) => length === before + pids.length);
}

/** Begins a stream of a key's. Its upstream ends it once it is told to; `text` is what the caller then has. */
async function stream(caller: Target, path = '/v1/chat/completions') {
  const upstream = new PassThrough();
  upstream.write(chunk('It'));
  stub.respond((body) =>
    body.stream ? { kind: 'pieces', pieces: upstream } : { kind: 'answer', content: 'Done.' },
  );
  const messages = [{ role: 'user', content: 'Go on.' }];
  const response = await fetch(`${caller.base_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.api_key}` },
    body: JSON.stringify({ model: 'gpt-4o', messages, stream: true }),
  });
  return {
    status: response.status,
    text: response.text(),
    goOn: () => upstream.end(streamOf([' goes', ' on.'], [3, 4]).join('')),
  };
}

const whole = /It[\s\S]* goes[\s\S]* on\.[\s\S]*\[DONE\]\s*$/;

const complete = (caller: Target) =>
  call(caller, 'POST', '/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Hello' }],
  });

it('a process that is killed cuts the calls in it, and no other caller of the same route', async () => {
  const [first, second] = [await newCaller(), await newCaller()];
  const cut = await stream(first);
  const [victim = process.pid] = processes(/create-chat-completion/);
  const other = await stream(second);

  process.kill(victim, 'SIGKILL');

  await expect(cut.text).rejects.toThrow();
  other.goOn();
  expect(await other.text).toMatch(whole);
  expect((await complete(first)).status).toBe(200);
  expect(stage.lines.filter((line) => line.includes('ended by SIGKILL'))).toEqual([
    expect.stringContaining('create-chat-completion ended by SIGKILL, with 1 calls under way'),
  ]);
});

it.each([
  ['submit-job', /submit-job/],
  ['run-chat-job', /run-chat-job/],
  ['the DynamoDB engine', /dynoxide\0--host/],
  ['what ends it with the stage', /^cat\0/],
])(
  'when %s is killed, streams go on, jobs are done, and callers are charged',
  async (_name, fits) => {
    const caller = await newCaller();
    await until(caller, (await submit(caller, chatJob('first'))).id);
    const running = await stream(caller);

    const [victim] = processes(fits);
    expect(victim).toBeDefined();
    process.kill(victim as number, 'SIGKILL');
    const other = await newCaller();
    const second = () => submit(other, chatJob('second'));
    // A call that reaches the process as it dies is a 503, which a client sends again.
    const job = await second().catch(second);
    running.goOn();

    expect(await running.text).toMatch(whole);
    expect(await until(caller, (await submit(caller, chatJob('third'))).id)).toMatchObject({
      status: 'done',
    });
    expect(job).toBeDefined();
    const heldUsd = async () => {
      const { body } = await call<{ budget: { held_usd: number } }>(caller, 'GET', '/user/limits');
      return body.budget.held_usd;
    };
    expect(await poll(heldUsd, (usd) => usd === 0)).toBe(0);
  },
);

it('a function that is out of memory answers 503, and its neighbours go on', async () => {
  const [poison, neighbour] = [await newCaller(), await newCaller()];
  const running = await stream(neighbour);
  const fault = { function: 'create-embeddings', action: 'dynamodb:*', resource: '*ledger*' };
  setFaults([{ ...fault, outOfMemory: true }]);

  const refused = await call(poison, 'POST', '/v1/embeddings', {
    model: 'text-embedding-3-small',
    input: 'Hello',
  });
  setFaults([]);
  running.goOn();

  expect(refused).toMatchObject({
    status: 503,
    body: { type: 'error', error: { code: 'service_unavailable' } },
  });
  expect(await running.text).toMatch(whole);
  await poll(
    () => stage.lines.filter((line) => /create-embeddings ended out of memory/.test(line)),
    ({ length }) => length === 1,
  );
  expect(stage.lines.join('\n')).not.toContain('Last few GCs');
});

it('a job whose worker is killed twice fails, and those beside it are done', {
  tags: 'exhaustive',
  // Each sweep that is awaited comes within a minute; a message that is lost costs two more.
  timeout: 900_000,
}, async () => {
  const [caller, neighbour] = [await newCaller(), await newCaller()];
  stub.respond(({ messages }) =>
    messages[0]?.content === 'poison' ? { kind: 'hang' } : { kind: 'answer', content: 'Done.' },
  );
  const expectDone = async (content: string) => {
    const { id } = await submit(neighbour, chatJob(content));
    expect(await until(neighbour, id)).toMatchObject({ status: 'done', retry_count: 0 });
  };
  const poison = await submit(caller, chatJob('poison'));

  for (let ends = 1; ends <= 2; ends += 1) {
    await poll(
      () => stub.requests.filter(({ body }) => body.messages[0]?.content === 'poison'),
      ({ length }) => length === ends,
    );
    await expectDone('beside it');
    await kill(/run-chat-job/);
    await expectDone('after it');
    // The next sweep takes the lease for lapsed.
    setFaults([{ clockOf: 'sweep', aheadMs: 60_000 }]);
    await poll(
      () => read(caller, poison.id),
      ({ status }) => status !== 'processing',
    );
    setFaults([]);
  }

  const { status, error } = await until(caller, poison.id);
  expect({ status, error }).toEqual({
    status: 'failed',
    error: expect.stringMatching(/^worker_lost_twice: /),
  });
  expect((await read(caller, poison.id)).retry_count).toBe(0);
});

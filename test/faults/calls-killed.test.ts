import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { clientConfig } from '../../lib/local/engines/client-config.ts';
import type { NotedUse } from '../../shared/ledger/terms/charge.ts';
import { instrumented, writeFaults } from '../support/instrument/instrumented.ts';
import { call, type Target } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { chunk } from '../support/servers/model-stub-pieces.ts';
import { useOwnStages } from '../support/servers/own-stages.ts';
import { poll } from '../support/servers/poll.ts';
import { commandLine, startedBy } from '../support/servers/processes.ts';
import { newDataDir, type TestStage } from '../support/servers/stage.ts';
import { minuteMs } from '../support/worlds/clock.ts';

const stub = await useModelStub();
const stages = useOwnStages();

interface Budget {
  used_usd: number;
  held_usd: number;
}

const budgetOf = async (target: Target) =>
  (await call<{ budget: Budget }>(target, 'GET', '/user/limits')).body.budget;

/** What was noted of calls, so far, in a stage's ledger. */
async function notesIn({
  dynamodb_url,
  secret_access_key,
  outputs,
}: TestStage): Promise<NotedUse[]> {
  const credentials = { accessKeyId: 'local', secretAccessKey: secret_access_key };
  const client = new DynamoDBClient({ ...clientConfig(dynamodb_url), credentials });
  const { Items = [] } = await DynamoDBDocumentClient.from(client).send(
    new ScanCommand({
      TableName: outputs['LedgerTable'],
      FilterExpression: 'attribute_exists(charge)',
      ConsistentRead: true,
    }),
  );
  client.destroy();
  return Items as NotedUse[];
}

/** Begins a stream, and waits until 15 cents of it are noted. Each piece is worth about two. */
async function readSome(stage: TestStage): Promise<void> {
  // All are less than the model may write.
  const pieces = Array.from({ length: 10 }, () => chunk('word '.repeat(1_500)));
  stub.respond({ kind: 'pieces', pieces, ending: 'hang' });
  const { body } = await fetch(`${stage.base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.api_key}` },
    body: JSON.stringify({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Write a lot.' }],
      stream: true,
    }),
  });
  await body?.getReader().read();
  await poll(
    () => notesIn(stage),
    ([note]) => (note?.charge.cost ?? 0) > 1.4e8,
  );
}

/** Has the sweep run as if the longest call were over. */
const later = [{ clockOf: 'sweep', aheadMs: 27 * minuteMs }];

/** 15,000 words, and what else the characters may be, at $10 for a million. */
async function expectPaid(stage: Target): Promise<void> {
  const budget = await poll(
    () => budgetOf(stage),
    ({ held_usd }) => held_usd === 0,
  );
  expect(budget.used_usd).toBeGreaterThan(0.14);
  expect(budget.used_usd).toBeLessThan(0.17);
}

it.each(['on', 'off'])(
  'a stream whose stage is killed in its midst costs what the caller had read (leases: %s)',
  async (LEASES) => {
    const dataDir = stages.newDataDir();
    const env = { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: stub.url, LEASES };
    const first = await stages.start({ dataDir, env });
    await readSome(first);

    await first.kill('SIGKILL');
    const faults = join(newDataDir(), 'faults.json');
    writeFaults(faults, later);
    const second = await stages.start({ dataDir, env: { ...env, ...instrumented({ faults }) } });

    await expectPaid({ base_url: second.base_url, api_key: first.api_key });
  },
);

it('a stream whose function’s process is killed in its midst costs that too', {
  tags: 'exhaustive',
}, async () => {
  const faults = join(newDataDir(), 'faults.json');
  writeFaults(faults, []);
  const env = { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: stub.url, ...instrumented({ faults }) };
  const stage = await stages.start({ memory: true, env });
  await readSome(stage);

  const running = startedBy(stage.process.pid ?? 0);
  const [victim, ...others] = running.filter((pid) =>
    commandLine(pid).includes('create-chat-completion'),
  );
  expect([typeof victim, others]).toEqual(['number', []]);
  process.kill(victim as number, 'SIGKILL');
  writeFaults(faults, later);

  await expectPaid(stage);
});

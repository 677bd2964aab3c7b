import { readFileSync } from 'node:fs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { schemaItem } from '../../shared/aws/schema.ts';
import type { JobRecord } from '../../shared/jobs/routes/record.ts';
import { apiKey, fixtureUrl, type Items, tables } from '../lab/release/stored.ts';
import { call, until } from '../support/servers/api.ts';
import type { Budget } from '../support/servers/chat-stage.ts';
import { runCommand } from '../support/servers/command.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { completionOf } from '../support/servers/model-stub-pieces.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { poll } from '../support/servers/poll.ts';

const model = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'a key' },
});
const caller = { base_url: stage.base_url, api_key: apiKey };

/** Puts what a release stored into the tables of this version. It was stored long ago, and is not to expire. */
async function restore(): Promise<string> {
  await newCaller(stage);
  const stored = JSON.parse(readFileSync(fixtureUrl, 'utf8')) as Items;
  const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
  for (const table of tables) {
    for (const item of stored[table]) {
      const { expires_at: at } = item;
      const expires = typeof at === 'number' && { expires_at: Math.max(at, tomorrow) };
      const TableName = stage.outputs[table];
      await dynamodb.send(new PutCommand({ TableName, Item: { ...item, ...expires } }));
    }
  }
  expect(stored.LedgerTable).toContainEqual(schemaItem);
  return String(stored.LedgerTable.find(({ entry }) => entry === 'account')?.['key_id']);
}

it('goes on with what a release left, with a job and a call under way, and its books agree', async () => {
  model.respond({ kind: 'pieces', pieces: [completionOf('ok', [10, 20])] });
  const keyId = await restore();
  const { body } = await call<{ jobs: JobRecord[] }>(caller, 'GET', '/batch/jobs');
  const [waits, done] = body.jobs;

  const ended = await until(caller, waits?.id ?? '');

  expect(done).toMatchObject({ status: 'done' });
  expect(ended).toMatchObject({ status: 'done', result: { content: 'ok' } });
  // Each job is paid once; what the call under way held is given back by its audit.
  const used_usd = (2 * (10 * 2_500 + 20 * 10_000)) / 1e9;
  const { budget } = await poll(
    async () => (await call<{ budget: Budget }>(caller, 'GET', '/user/limits')).body,
    (limits) => limits.budget.used_usd >= used_usd,
  );
  expect(budget).toMatchObject({ max_usd: 10, used_usd });
  const { code, stdout } = await runCommand('usage', stage.dataDir, [
    ...['check', keyId, '--data', stage.dataDir],
  ]);
  expect(stdout).toContain('agree');
  expect(code).toBe(0);
});

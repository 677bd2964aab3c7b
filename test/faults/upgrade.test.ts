import { readFileSync } from 'node:fs';
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { clientConfig } from '../../lib/local/engines/client-config.ts';
import type { JobRecord } from '../../shared/jobs/record.ts';
import { call, chatResultOf, read, until } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';

/** All items that a stage of release 1.0.0 had left when it was stopped, and the key of its one caller. */
const { api_key, tables } = JSON.parse(
  readFileSync('test/support/fixtures/release-1.0.0.json', 'utf8'),
) as { api_key: string; tables: Record<string, Record<string, AttributeValue>[]> };

const stub = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: stub.url },
});
const caller = { base_url: stage.base_url, api_key };
const jobsOfBefore = Object.entries(tables)
  .flatMap(([name, items]) => (name.includes('jobstable') ? items : []))
  .filter(({ job_id, status }) => job_id?.S?.startsWith('job_') && status);

beforeAll(async () => {
  const { dynamodb_url, secret_access_key: secretAccessKey = '' } = stage;
  const dynamodb = new DynamoDBClient({
    ...clientConfig(dynamodb_url),
    credentials: { accessKeyId: 'local', secretAccessKey },
  });
  for (const [TableName, items] of Object.entries(tables)) {
    for (const Item of items) await dynamodb.send(new PutItemCommand({ TableName, Item }));
  }
  dynamodb.destroy();
});

it('every job is read and listed', async () => {
  const { body } = await call<{ jobs: JobRecord[] }>(caller, 'GET', '/batch/jobs');

  expect(body.jobs.map(({ id }) => id).sort()).toEqual(
    jobsOfBefore.map(({ job_id }) => job_id?.S).sort(),
  );
  for (const { id, created_at } of body.jobs) {
    expect(await read(caller, id)).toMatchObject({ id, created_at });
  }
  const answers = body.jobs.filter(
    ({ job_type, status }) => job_type === 'chat' && status === 'done',
  );
  expect(answers.map((job) => chatResultOf(job)?.content)).toContain('an old answer');
  const page = body.jobs.find(({ job_type }) => job_type === 'ocr');
  expect(page).toMatchObject({ status: 'done', result: { type: 'ocr', text: expect.any(String) } });
});

it('every waiting job is finished', async () => {
  const waiting = jobsOfBefore.filter(({ status }) => status?.S === 'queued');

  const ended = await Promise.all(waiting.map(({ job_id }) => until(caller, job_id?.S ?? '')));

  expect(ended.length).toBeGreaterThan(2);
  expect(ended.map(({ status, error }) => ({ status, error }))).toEqual(
    ended.map(() => ({ status: 'done', error: null })),
  );
  expect(ended.map((job) => chatResultOf(job)?.content)).toContain('echo: wait 2');
});

it('what was spent and used is reported, and ratings are taken', async () => {
  const limits = await call<{ budget: { used_usd: number } }>(caller, 'GET', '/user/limits');
  const stats = await call<{ requests: number }>(caller, 'GET', '/user/stats?period=all');
  const batch = await call<{ totals: { images: number } }>(caller, 'GET', '/user/batch-stats');
  const rating = { session_id: 'old-session', rating: 'down' };
  const rated = await call(caller, 'POST', '/feedback', rating);

  expect(limits.body.budget.used_usd).toBeGreaterThanOrEqual(0.003068);
  expect(stats.body.requests).toBeGreaterThanOrEqual(6);
  expect(batch).toMatchObject({ status: 200 });
  expect(rated).toMatchObject({ status: 200, body: { session_id: 'old-session', rating: 'down' } });
});

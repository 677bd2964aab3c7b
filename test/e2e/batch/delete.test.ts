import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import type { JobList, JobRecord } from '../../../shared/jobs/record.ts';
import { call, chatJob, read, submit, type Target, until } from '../../support/servers/api.ts';
import { endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { post } from '../../support/servers/event-reader.ts';
import { poll } from '../../support/servers/poll.ts';
import { remnantsOf } from '../../support/worlds/remnants.ts';

const chat = await useChatStage();
const model = chat.newModel('plain', ({ messages }) =>
  messages[0]?.content === 'wait'
    ? { kind: 'status', status: 429, headers: { 'retry-after': '600' } }
    : undefined,
);
const { stage } = chat;
const client = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: stage.secret_access_key },
};
/** The stage's buckets are where its queues are. */
const objectsUrl = new URL(stage.outputs['ChatQueue'] ?? '').origin;
const stores = {
  dynamodb: new DynamoDBClient({ ...client, endpoint: stage.dynamodb_url }),
  s3: new S3Client({ ...client, endpoint: objectsUrl }),
};
const remnants = (word: string) => remnantsOf(word, stores);
const newWord = () => `marker${randomUUID().replaceAll('-', '')}`;
const remove = (target: Target, path: string) => call(target, 'DELETE', path);
const removeJob = (target: Target, id: string) => remove(target, `/batch/jobs/${id}`);

it('a deleted job leaves no word of its prompt, its document or its answer in any table or object', async () => {
  const account = await chat.newAccount();
  const [word, answered, documented] = [newWord(), newWord(), newWord()];
  model.respond?.(answered);
  const base64 = Buffer.from(`${documented} `.repeat(500)).toString('base64');
  const file = { filename: 'notes.txt', file_data: `data:text/plain;base64,${base64}` };
  const content = [
    { type: 'text', text: `${word} `.repeat(500) },
    { type: 'file', file },
  ];
  const messages = [{ role: 'user', content }];
  const { id } = await submit(account, { job_type: 'chat', model: model.id, inline: { messages } });
  const rated = { session_id: id, rating: 'up', comment: word, user_message: word };
  await call(account, 'POST', '/feedback', rated);
  expect((await until(account, id)).status).toBe('done');
  const charges = await endedCharges(account);
  const before = await remnants(word);

  const first = await removeJob(account, id);
  const second = await removeJob(account, id);

  expect(before.length).toBeGreaterThan(2);
  for (const { status, body } of [first, second]) {
    expect({ status, body }).toEqual({ status: 200, body: { id, deleted: true, erased: true } });
  }
  for (const each of [word, answered, documented]) expect(await remnants(each)).toEqual([]);
  expect((await call(account, 'GET', `/batch/jobs/${id}`)).status).toBe(404);
  expect((await call<JobList>(account, 'GET', '/batch/jobs')).body.jobs).toEqual([]);
  expect(await endedCharges(account)).toEqual(charges);
});

import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import type { JobList } from '../../../shared/jobs/routes/record.ts';
import { call, chatJob, submit, type Target, until } from '../../support/servers/api.ts';
import { type Account, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { post, TextReader } from '../../support/servers/event-reader.ts';
import { gate } from '../../support/servers/model-stub-pieces.ts';
import { remnantsOf } from '../../support/worlds/remnants.ts';

const newWord = () => `marker${randomUUID().replaceAll('-', '')}`;
const chat = await useChatStage();
const slow = gate();
/** A word of every answer, and one of the slow ones. */
const [answered, answeredSlowly] = [newWord(), newWord()];
const model = chat.newModel('plain', ({ messages }) => {
  const [content] = [messages.at(-1)?.content];
  if (content === 'wait') return { kind: 'status', status: 429, headers: { 'retry-after': '600' } };
  const isSlow = content === 'slow';
  return {
    kind: 'pieces',
    pieces: pieces(isSlow),
    type: isSlow ? 'text/event-stream' : 'application/json',
  };
});

async function* pieces(isSlow: boolean): AsyncGenerator<string> {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const content = `${isSlow ? answeredSlowly : answered} `.repeat(500);
  const message = { role: 'assistant', content };
  if (!isSlow) {
    yield JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
    return;
  }
  yield `data: ${JSON.stringify({ choices: [{ index: 0, delta: message }] })}\n\n`;
  await slow.opened;
  const end = [{ index: 0, delta: {}, finish_reason: 'stop' }];
  yield `data: ${JSON.stringify({ choices: end, usage })}\n\ndata: [DONE]\n\n`;
}

const echo = chat.newModel();
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
const remove = (target: Target, path: string) => call(target, 'DELETE', path);
const removeJob = (target: Target, id: string) => remove(target, `/batch/jobs/${id}`);

/** What an account was charged, by charge. */
const costsOf = async (account: Account) =>
  (await endedCharges(account)).map(({ entry, cost }) => ({ entry, cost }));

it('a deleted job leaves no word of its prompt, its document or its answer in any table or object', async () => {
  const account = await chat.newAccount();
  const [word, documented] = [newWord(), newWord()];
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
  const charges = await costsOf(account);
  const [before, answers] = [await remnants(word), await remnants(answered)];

  const first = await removeJob(account, id);
  const second = await removeJob(account, id);

  expect(before.length).toBeGreaterThan(2);
  expect(answers.length).toBeGreaterThan(0);
  for (const { status, body } of [first, second]) {
    expect({ status, body }).toEqual({ status: 200, body: { id, deleted: true, erased: true } });
  }
  for (const each of [word, answered, documented]) expect(await remnants(each)).toEqual([]);
  expect((await call(account, 'GET', `/batch/jobs/${id}`)).status).toBe(404);
  expect((await call<JobList>(account, 'GET', '/batch/jobs')).body.jobs).toEqual([]);
  expect(await costsOf(account)).toEqual(charges);
});

it('a job is deleted by its own key alone, and once it has ended', async () => {
  const [account, stranger] = [await chat.newAccount(), await chat.newAccount()];
  const { id } = await submit(account, chatJob('wait', { model: model.id }));

  const waiting = await removeJob(account, id);
  const strangers = [
    await removeJob(stranger, id),
    await removeJob(stranger, 'job_01890000-0000-7000-8000-000000000000'),
    await removeJob(stranger, 'x'),
  ];
  const { status } = await call(account, 'POST', `/batch/jobs/${id}/stop`);
  await until(account, id);

  expect(status).toBe(200);
  expect(waiting).toMatchObject({
    status: 409,
    body: {
      detail: expect.stringMatching(/^Only a job that has ended can be deleted; this one is/),
    },
  });
  for (const { status, body } of strangers) {
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'There is no such job.' } });
  }
  expect(await removeJob(account, id)).toMatchObject({ status: 200, body: { erased: true } });
});

it('a deleted session leaves no word of what was said, attached or rated', async () => {
  const account = await chat.newAccount();
  const [word, attached] = [newWord(), newWord()];
  const path = `/chat/sessions/${word}`;
  const content = Buffer.from(`${attached} `.repeat(500)).toString('base64');
  const files = [{ name: 'notes.txt', content: `data:text/plain;base64,${content}` }];
  const message = { message: word, session_id: word, model: echo.id, files };
  await (await post(account, '/chat/stream', message)).text();
  const rated = { session_id: word, rating: 'up', comment: word, message_content: word };
  await call(account, 'POST', '/feedback', { ...rated, user_message: word });
  const before = await remnants(word);

  const deleted = await remove(account, path);

  expect(before.length).toBeGreaterThan(3);
  expect(deleted).toMatchObject({ status: 200, body: { session_id: word, deleted: true } });
  for (const each of [word, attached]) expect(await remnants(each)).toEqual([]);
  expect((await remove(account, path)).status).toBe(404);
});

it('an answer that is being written when its session is deleted does not bring it back', async () => {
  const account = await chat.newAccount();
  const path = '/chat/sessions/s';
  await (
    await post(account, '/chat/stream', { message: 'Hi', session_id: 's', model: echo.id })
  ).text();
  const message = { message: 'slow', session_id: 's', model: model.id };
  const reader = new TextReader(await post(account, '/chat/stream', message));
  await reader.until(answeredSlowly);

  const { status } = await remove(account, path);
  slow.open();
  await reader.until('[DONE]');

  expect(status).toBe(200);
  expect((await call(account, 'GET', path)).status).toBe(404);
  expect(await remnants(answeredSlowly)).toEqual([]);
  await (
    await post(account, '/chat/stream', { message: 'Hi', session_id: 's', model: echo.id })
  ).text();
  expect((await call(account, 'GET', path)).body).toMatchObject({ message_count: 2 });
});

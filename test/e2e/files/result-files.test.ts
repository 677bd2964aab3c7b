import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { call, chatJob, submit, until } from '../../support/servers/api.ts';
import { useChatStage } from '../../support/servers/chat-stage.ts';
import { post } from '../../support/servers/event-reader.ts';

const chat = await useChatStage();
const model = chat.newModel('plain');
const account = await chat.newAccount();
const client = new OpenAI({
  baseURL: `${account.base_url}/v1`,
  apiKey: account.api_key,
  maxRetries: 0,
});

const answerOf = async (content: string) => {
  const { id } = await submit(account, chatJob(content, { model: model.id }));
  const { result_file_id } = await until(account, id);
  return { jobId: id, fileId: result_file_id ?? '' };
};

it('is read by the routes of files, in chats too, until its job is deleted', async () => {
  const { jobId, fileId } = await answerOf('In May.');
  const file = { file_id: fileId };
  const asked = () => JSON.stringify(model.upstreams[0]?.requests().at(-1)?.body);

  const retrieved = await client.files.retrieve(fileId);
  const content = await (await client.files.content(fileId)).text();
  await client.chat.completions.create({
    model: model.id,
    messages: [{ role: 'user', content: [{ type: 'file', file }] }],
  });
  const completion = asked();
  const events = await post(account, '/chat/stream', {
    ...{ model: model.id, message: 'When?', file_ids: [fileId] },
  });
  await events.text();

  expect(retrieved).toMatchObject({ id: fileId, bytes: 13, purpose: 'job_result' });
  expect(content).toBe('echo: In May.');
  expect(completion).toContain(Buffer.from(content).toString('base64'));
  expect(asked()).toContain(content);
  await expect(client.files.delete(fileId)).rejects.toMatchObject({ status: 404 });
  expect((await call(account, 'DELETE', `/batch/jobs/${jobId}`)).status).toBe(200);
  await expect(client.files.retrieve(fileId)).rejects.toMatchObject({ status: 404 });
  await expect(client.files.content(fileId)).rejects.toMatchObject({ status: 404 });
});

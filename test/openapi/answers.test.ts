import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JobRecord } from '../../shared/jobs/routes/record.ts';
import { greyJpeg, smallPdf, words } from '../support/fixtures/small-documents.ts';
import { shared } from '../support/run/shared.ts';
import { chatJob, submit, type Target, until } from '../support/servers/api.ts';
import { newCaller } from '../support/servers/new-caller.ts';
import { type OperationRequest, sendRequest } from './requests.ts';
import { ServedDocument } from './served-document.ts';

const stage = await shared('stage');
const served = await ServedDocument.of(stage);
const messages = [{ role: 'user', content: 'What is a doorbell?' }];
const completion = { model: 'gpt-4.1', messages };
const message = { ...completion, max_tokens: 100 };
const anthropic = { 'anthropic-version': '2023-06-01' };
const response = { model: 'gpt-4.1', input: messages };

let caller: Target;
let poor: Target;
let hurried: Target;

beforeAll(async () => {
  caller = await newCaller(stage, { drive_folders: ['local-drive'] });
  poor = await newCaller(stage, { budget_usd: 0.000001, duration: '1d' });
  hurried = await newCaller(stage, { requests_per_minute: 0 });
});

type Sent = Partial<Pick<OperationRequest, 'parameters' | 'body' | 'authorization'>>;

/** Calls an operation; expects a status, and an answer that fits what the document says of it. */
async function expectAnswer(id: string, status: number, sent: Sent = {}, target: Target = caller) {
  const operation = served.operation(id);
  const answer = await sendRequest(stage, operation, {
    parameters: {},
    isCut: false,
    authorization: `Bearer ${target.api_key}`,
    ...sent,
  });

  expect(answer.status, answer.text).toBe(status);
  expect(served.errorsOfAnswer(operation, answer), answer.text).toEqual([]);
  return answer;
}

/** Does a job and reads it. */
async function expectDone(job: object): Promise<JobRecord> {
  const { id } = await submit(caller, job);
  await until(caller, id);
  const { text } = await expectAnswer('getJob', 200, { parameters: { job_id: id } });
  return JSON.parse(text) as JobRecord;
}

describe('what the document says of an answer holds for', () => {
  it('a chat job, from its submission to its end', async () => {
    const { text } = await expectAnswer('submitJob', 202, { body: chatJob('a question') });
    const { id } = JSON.parse(text) as JobRecord;
    await until(caller, id);

    await expectAnswer('getJob', 200, { parameters: { job_id: id } });
    await expectAnswer('listJobs', 200);
    await expectAnswer('cancelJob', 409, { parameters: { job_id: id } });
    await expectAnswer('stopJob', 409, { parameters: { job_id: id } });
    await expectAnswer('retryJob', 409, { parameters: { job_id: id } });
    await expectAnswer('deleteJob', 200, { parameters: { job_id: id } });
    await expectAnswer('getJob', 404, { parameters: { job_id: id } });
  });

  it('a file, and an upload that becomes one', async () => {
    const asked = { filename: 'a', purpose: 'batch', mime_type: 'text/plain' };
    const made = await expectAnswer('createFile', 200, { body: { file: 'x', purpose: 'batch' } });
    const parameters = { file_id: JSON.parse(made.text).id as string };
    await expectAnswer('createFile', 400, { body: { file: 'x' } });
    await expectAnswer('listFiles', 200);
    await expectAnswer('listFiles', 400, { parameters: { after: 'x' } });
    await expectAnswer('getFile', 200, { parameters });
    await expectAnswer('getFileContent', 200, { parameters });
    await expectAnswer('getFileContent', 206, { parameters: { ...parameters, Range: 'bytes=0-' } });
    await expectAnswer('getFileContent', 416, { parameters: { ...parameters, Range: 'bytes=9-' } });
    await expectAnswer('deleteFile', 200, { parameters });
    await expectAnswer('getFile', 404, { parameters });
    await expectAnswer('getFileContent', 404, { parameters });

    const begun = await expectAnswer('createUpload', 200, { body: { ...asked, bytes: 1 } });
    const upload = { upload_id: JSON.parse(begun.text).id as string };
    const sent = await expectAnswer('addUploadPart', 200, {
      ...{ parameters: upload, body: { data: 'x' } },
    });
    const part_ids = [JSON.parse(sent.text).id as string];
    await expectAnswer('completeUpload', 400, { parameters: upload, body: { part_ids: [] } });
    await expectAnswer('completeUpload', 200, { parameters: upload, body: { part_ids } });
    await expectAnswer('addUploadPart', 400, { parameters: upload, body: { data: 'x' } });
    await expectAnswer('cancelUpload', 400, { parameters: upload });
    const other = await expectAnswer('createUpload', 200, { body: { ...asked, bytes: 1 } });
    await expectAnswer('cancelUpload', 200, {
      parameters: { upload_id: JSON.parse(other.text).id as string },
    });
    await expectAnswer('createUpload', 400, { body: { ...asked, bytes: 0 } });
  });

  it('an image that was read', { tags: 'exhaustive' }, async () => {
    const data = Buffer.from(await greyJpeg(200, 300)).toString('base64');
    const image = { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${data}` } };

    const job = await expectDone({
      job_type: 'ocr',
      inline: { messages: [{ role: 'user', content: [image] }] },
    });

    expect(job).toMatchObject({ status: 'done', result: { type: 'ocr', images_used: 1 } });
  });

  it('embeddings', async () => {
    const body = { model: 'text-embedding-3-small', input: ['a text', 'another'] };

    const { text } = await expectAnswer('createEmbeddings', 200, { body });
    await expectAnswer('createEmbeddings', 404, { body: { ...body, model: 'gpt-4.1' } });

    expect(JSON.parse(text)).toMatchObject({ model: 'quire-offline-words/text-embedding-3-small' });
  });

  it('a folder, its text, its PDF and its batch file', { tags: 'exhaustive' }, async () => {
    const folder = join(stage.dataDir, 'drive');
    const line = { method: 'POST', url: '/v1/chat/completions', body: completion };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'pump.txt'), 'The pump was replaced in May.');
    writeFileSync(join(folder, 'pump.pdf'), await smallPdf([{ words: words(1) }]));
    writeFileSync(join(folder, 'pump.jsonl'), JSON.stringify({ custom_id: '1', ...line }));

    const { id, result } = await expectDone({
      job_type: 'auto',
      drive: { folder_id: 'local-drive' },
    });

    expect(result).toMatchObject({ type: 'folder' });
    const { text } = await expectAnswer('listJobs', 200, { parameters: { parent_job_id: id } });
    const { jobs } = JSON.parse(text) as { jobs: JobRecord[] };
    for (const job of jobs) await expectAnswer('getJob', 200, { parameters: { job_id: job.id } });
    const results = jobs.map((job) => [job.filename, job.status, job.result?.type]);
    expect(results).toEqual(
      expect.arrayContaining([
        ['pump.txt', 'done', 'chat'],
        ['pump.pdf', 'done', 'ocr'],
        ['pump.jsonl', 'done', 'chat_batch'],
      ]),
    );
  });

  it('statistics and limits', async () => {
    await expectAnswer('createChatCompletion', 200, { body: completion });

    await expectAnswer('getLimits', 200);
    await expectAnswer('getLimits', 200, {}, poor);
    for (const period of ['1d', '7d', '30d', 'all']) {
      await expectAnswer('getStats', 200, { parameters: { period } });
    }
    await expectAnswer('getBatchStats', 200, { parameters: { days: '7' } });
  });

  it('answers of models, as a whole and in events', async () => {
    const stream_options = { include_usage: true };

    await expectAnswer('createChatCompletion', 200, { body: completion });
    await expectAnswer('createChatCompletion', 200, { body: { ...completion, stream: true } });
    await expectAnswer('createChatCompletion', 200, {
      body: { ...completion, stream: true, stream_options, n: 2 },
    });
    await expectAnswer('createResponse', 200, { body: response });
    await expectAnswer('createResponse', 200, { body: { ...response, stream: true } });
    await expectAnswer('countResponseTokens', 200, { body: response });
    await expectAnswer('streamChat', 200, { body: { message: 'Hello' } });
    await expectAnswer('listModels', 200);
    await expectAnswer('listModels', 200, { parameters: { ...anthropic, limit: '2' } });
    await expectAnswer('getModel', 200, { parameters: { model: 'gpt-4.1' } });
    await expectAnswer('getModel', 200, { parameters: { ...anthropic, model: 'gpt-4.1' } });
    await expectAnswer('createMessage', 200, { body: message, parameters: anthropic });
    await expectAnswer('createMessage', 200, { body: { ...message, stream: true } });
    await expectAnswer('countMessageTokens', 200, { body: message });
  });

  it('a session, from its first message to its end', async () => {
    const parameters = { session_id: 'of answers / ü', user_id: 'ada' };
    await expectAnswer('streamChat', 200, { body: { message: 'Hello', ...parameters } });

    await expectAnswer('listSessions', 200);
    await expectAnswer('getSession', 200, { parameters });
    await expectAnswer('deleteSession', 200, { parameters });
    await expectAnswer('getSession', 404, { parameters });
  });

  it('a rating', async () => {
    await expectAnswer('submitFeedback', 200, { body: { session_id: 's', rating: 1 } });
    await expectAnswer('submitFeedback', 422, { body: { session_id: '' } });
  });

  it.each(['getIndex', 'getHealth', 'getOpenApi', 'getDocs'])('%s without a key', async (id) => {
    await expectAnswer(id, 200, { authorization: undefined });
  });
});

describe('what the document says of a refusal holds for', () => {
  const locked = served.operations.filter(({ security }) => !security);

  it.each(locked)('$operationId without a key', async ({ operationId }) => {
    const parameters = {
      ...{ job_id: 'job_x', page: '1', session_id: 's', file_id: 'f', upload_id: 'u' },
    };

    await expectAnswer(operationId, 401, { authorization: undefined, parameters });
  });

  const posts = served.operations.filter(({ requestBody }) => requestBody);

  it.each(posts)('$operationId of more than 6 MB', async ({ operationId }) => {
    await expectAnswer(operationId, 413, { body: 'x'.repeat(7_000_000) });
  });

  it('a spent budget', async () => {
    await expectAnswer('createChatCompletion', 429, { body: completion }, poor);
    await expectAnswer('createMessage', 429, { body: message }, poor);
    await expectAnswer('createResponse', 429, { body: response }, poor);
    await expectAnswer('streamChat', 429, { body: { message: 'Hello' } }, poor);
  });

  it('a key’s last request of the minute', async () => {
    await expectAnswer('createChatCompletion', 429, { body: completion }, hurried);
    await expectAnswer('createMessage', 429, { body: message }, hurried);
    await expectAnswer('streamChat', 429, { body: { message: 'Hello' } }, hurried);
  });

  it('an unknown job, model, key or file', async () => {
    const parameters = {
      ...{ job_id: 'job_x', page: '1', session_id: 'unknown' },
      ...{ file_id: 'file-x', upload_id: 'upload_x' },
    };

    await expectAnswer('deleteSession', 404, { parameters });
    await expectAnswer('getJob', 404, { parameters });
    await expectAnswer('getJobPage', 404, { parameters });
    await expectAnswer('cancelJob', 404, { parameters });
    await expectAnswer('stopJob', 404, { parameters });
    await expectAnswer('retryJob', 404, { parameters });
    await expectAnswer('deleteJob', 404, { parameters });
    for (const id of ['getFile', 'getFileContent', 'deleteFile', 'cancelUpload']) {
      await expectAnswer(id, 404, { parameters });
    }
    await expectAnswer('addUploadPart', 404, { parameters, body: { data: 'x' } });
    await expectAnswer('completeUpload', 404, { parameters, body: { part_ids: [] } });
    await expectAnswer('createChatCompletion', 404, { body: { ...completion, model: 'x' } });
    await expectAnswer('createMessage', 404, { body: { ...message, model: 'x' } });
    await expectAnswer('countMessageTokens', 404, { body: { ...message, model: 'x' } });
    await expectAnswer('getModel', 404, { parameters: { model: 'x' } });
    await expectAnswer('getModel', 404, { parameters: { ...anthropic, model: 'x' } });
    await expectAnswer('createResponse', 404, { body: { ...response, model: 'x' } });
    await expectAnswer('createResponse', 400, { body: { ...response, store: true } });
    await expectAnswer('countResponseTokens', 400, { body: { ...response, input: 5 } });
    await expectAnswer('streamChat', 401, { body: { message: 'Hello', api_key: 'sk-x' } });
    await expectAnswer('getDocsFile', 404, { parameters: { file: '__proto__' } });
  });

  it('a submission under another’s idempotency key', async () => {
    const parameters = { 'Idempotency-Key': randomUUID() };
    await expectAnswer('submitJob', 202, { parameters, body: chatJob('one') });

    await expectAnswer('submitJob', 409, { parameters, body: chatJob('another') });
  });

  it('messages that no model takes', async () => {
    const content = 'word '.repeat(1_100_000);

    await expectAnswer('createChatCompletion', 400, {
      body: { model: 'gpt-4o', messages: [{ role: 'user', content }] },
    });
  });

  it('bodies and queries that break rules', async () => {
    await expectAnswer('submitJob', 422, { body: { job_type: 'x', priority: 101 } });
    await expectAnswer('listJobs', 422, { parameters: { status: 'lost' } });
    await expectAnswer('listSessions', 422, { parameters: { cursor: 'x' } });
    await expectAnswer('getStats', 422, { parameters: { period: '2d' } });
    await expectAnswer('getBatchStats', 422, { parameters: { days: '367' } });
    await expectAnswer('streamChat', 422, { body: { message: '' } });
    await expectAnswer('createChatCompletion', 400, { body: { messages: [] } });
    await expectAnswer('createMessage', 400, { body: { messages: [] } });
    await expectAnswer('countMessageTokens', 400, { body: { messages: [] } });
    await expectAnswer('listModels', 400, { parameters: { limit: '0' } });
    await expectAnswer('listModels', 400, { parameters: { ...anthropic, limit: '1001' } });
  });
});

import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../../shared/http/errors.ts';
import { instantFormat, jobFields, jobIdFormat } from '../../support/fixtures/job-fields.ts';
import { shared } from '../../support/run/shared.ts';
import { call, chatJob, submit } from '../../support/servers/api.ts';
import { newCaller } from '../../support/servers/new-caller.ts';
import { at, dictionary, missing, rule } from '../../support/servers/refusals.ts';

const stage = await shared('stage');
const messages = [{ role: 'user', content: 'Hi' }];
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const linked = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
const linkedImage = { messages: [{ role: 'user', content: [image, linked] }] };

const post = (body: unknown) => call<{ detail: FieldError[] }>(stage, 'POST', '/batch/jobs', body);

describe('a rule that spans fields', () => {
  const drive = { file_id: 'file' };
  const ids = 'exactly one of file_id and folder_id must be given';

  it.each<[string, object, string, string]>([
    [
      'inline and drive',
      { job_type: 'chat', inline: { messages }, drive },
      '',
      'exactly one of inline, drive and file_id must be given',
    ],
    [
      'neither inline nor drive',
      { job_type: 'chat' },
      '',
      'exactly one of inline, drive and file_id must be given',
    ],
    [
      'inline null and no drive',
      { job_type: 'chat', inline: null },
      '',
      'exactly one of inline, drive and file_id must be given',
    ],
    ['drive without an id', { job_type: 'ocr', drive: {} }, 'drive', ids],
    [
      'drive with both ids',
      { job_type: 'ocr', drive: { file_id: 'a', folder_id: 'b' } },
      'drive',
      ids,
    ],
    [
      'auto with inline',
      { job_type: 'auto', inline: { messages } },
      'job_type',
      'auto needs drive input or a file_id',
    ],
    [
      'ocr without an inline image',
      { job_type: 'ocr', inline: { messages } },
      'inline.messages',
      'an ocr job needs at least one image or file part',
    ],
    [
      'ocr by a model that only chats',
      { job_type: 'chat', inline: { messages }, model: 'textract' },
      'model',
      "textract reads pages and can't chat",
    ],
    [
      'a chat by a model that makes embeddings',
      { job_type: 'chat', inline: { messages }, model: 'text-embedding-3-small' },
      'model',
      "text-embedding-3-small makes embeddings and can't chat",
    ],
    [
      'a document asked about by a model that makes embeddings',
      {
        job_type: 'chat',
        inline: { messages: [{ role: 'user', content: [image] }] },
        pipeline: 'ocr_then_chat',
        model: 'text-embedding-3-small',
      },
      'model',
      "text-embedding-3-small makes embeddings and can't chat",
    ],
    [
      'a pipeline without an image',
      { job_type: 'chat', inline: { messages }, pipeline: 'ocr_then_chat' },
      'pipeline',
      'a pipeline needs drive input, a file_id, or inline images or files',
    ],
  ])('refuses %s', async (_, job, path, reason) => {
    const { status, body } = await post(job);

    expect(status).toBe(422);
    expect(body).toEqual({ detail: [at(path, rule(reason))] });
  });
});

it('refuses ocr of an image that lies elsewhere', async () => {
  const { status, body } = await post({ job_type: 'ocr', inline: linkedImage });

  expect(status).toBe(422);
  const loc = ['body', 'inline', 'messages', 0, 'content', 1, 'image_url', 'url'];
  const [type, msg] = rule(
    'OCR reads images that are in the request: send a data URL, data:image/png;base64,…',
  );
  expect(body).toEqual({ detail: [{ loc, type, msg }] });
});

it('refuses drive input of a key without drive folders', async () => {
  const caller = await newCaller(stage);
  const job = { job_type: 'ocr', drive: { file_id: 'file' } };

  const { status, body } = await call(caller, 'POST', '/batch/jobs', job);

  expect(status).toBe(422);
  expect(body).toMatchObject({
    detail: [{ loc: ['body', 'drive'], msg: expect.stringContaining('npm run keys -- set key_') }],
  });
});

describe('a body', () => {
  it.each<[string, string, FieldError]>([
    ['nothing', '', at('', missing)],
    ['a list', '[]', at('', dictionary)],
    ['null', 'null', at('', dictionary)],
    ['a string', '"chat"', at('', dictionary)],
    ['a number', '5', at('', dictionary)],
    ['an object without fields', '{}', at('job_type', missing)],
  ])('that is %s is refused', async (_, body, refusal) => {
    const answer = await post(body);

    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ detail: [refusal] });
  });

  it.each<[string, string, number, string]>([
    ['cut short', '{"job_type":', 12, 'line 1, column 13: Unexpected end of JSON input'],
    [
      'followed by more',
      '{"job_type":"chat"}\nand',
      20,
      'line 2, column 1: Unexpected non-whitespace character after JSON',
    ],
    ['no JSON at all', 'chat', 0, "line 1, column 1: Unexpected token 'c'"],
  ])('that is %s is refused, saying where', async (_, body, position, where) => {
    const answer = await post(body);

    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      detail: [
        { loc: ['body', position], type: 'json_invalid', msg: `JSON decode error at ${where}` },
      ],
    });
  });

  it('that is no UTF-8 is refused', async () => {
    const response = await sendBytes([0xff, 0xfe, 0x7b]);

    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ type: 'json_invalid' }] });
  });

  it('with a text that is no UTF-8 is taken as far as it can be read', async () => {
    const [before = '', after = ''] = JSON.stringify(chatJob('|')).split('|');

    const response = await sendBytes([...Buffer.from(before), 0xff, ...Buffer.from(after)]);

    expect(response.status).toBe(202);
  });

  it('needs no content type', async () => {
    const headers = { 'content-type': 'application/octet-stream' };

    const { status } = await call(stage, 'POST', '/batch/jobs', chatJob('Hi'), headers);

    expect(status).toBe(202);
  });

  function sendBytes(bytes: number[]): Promise<Response> {
    return fetch(`${stage.base_url}/batch/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.api_key}` },
      body: new Uint8Array(bytes),
    });
  }
});

describe('the 202 record', () => {
  it('has every field of the contract, those beside it and no other, with its defaults', async () => {
    const before = Date.now();

    const job = await submit(stage, { job_type: 'chat', inline: { messages } });

    expect(Object.keys(job)).toEqual(jobFields);
    expect(job).toEqual({
      id: expect.stringMatching(jobIdFormat),
      status: 'queued',
      job_type: 'chat',
      model: 'gpt-5-mini',
      input_type: 'inline',
      filename: null,
      priority: 10,
      retry_count: 0,
      max_retries: 3,
      result: null,
      error: null,
      drive_folder_id: null,
      drive_result_file_id: null,
      pipeline: null,
      pipeline_instruction: null,
      parent_job_id: null,
      created_at: expect.stringMatching(instantFormat),
      started_at: null,
      completed_at: null,
      drive_file_id: null,
      file_id: null,
      progress: null,
      retry_of: null,
      asked_priority: null,
      metadata: null,
      result_file_id: null,
      extract: null,
      batch_id: null,
    });
    expect(Date.parse(job.created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(job.created_at)).toBeLessThanOrEqual(Date.now());
  });

  it('carries what was asked for', async () => {
    const asked = {
      model: 'gpt-4o',
      priority: 3,
      max_retries: 0,
      pipeline_instruction: 'Sum up 😀',
    };

    const job = await submit(stage, chatJob('Hi', asked));

    expect(job).toMatchObject(asked);
  });

  it('has an id that sorts after those before it', async () => {
    const first = await submit(stage, chatJob('first'));

    const second = await submit(stage, chatJob('second'));

    expect(second.id > first.id).toBe(true);
  });
});

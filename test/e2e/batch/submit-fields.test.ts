import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../../shared/http/errors.ts';
import type { JobRecord } from '../../../shared/jobs/routes/record.ts';
import { jobFields } from '../../support/fixtures/job-fields.ts';
import { shared } from '../../support/run/shared.ts';
import { call, chatJob, submit } from '../../support/servers/api.ts';
import {
  at,
  boolean,
  dictionary,
  fraction,
  integer,
  least,
  list,
  literal,
  missing,
  most,
  type Refusal,
  string,
  tooLong,
  unicode,
} from '../../support/servers/refusals.ts';

const stage = await shared('stage');
const messages = [{ role: 'user', content: 'Hi' }];

const post = (body: unknown) => call<{ detail: FieldError[] }>(stage, 'POST', '/batch/jobs', body);

const meant = (name: string): Refusal => ['extra_forbidden', `Unknown name; did you mean ${name}?`];

describe('a field of a submission', () => {
  it.each<[string, object]>([
    ['priority 1', { priority: 1 }],
    ['priority 100', { priority: 100 }],
    ['priority 7.0', { priority: 7.0 }],
    ['max_retries 0', { max_retries: 0 }],
    ['max_retries 10', { max_retries: 10 }],
    ['pipeline_instruction of 2000 characters', { pipeline_instruction: 'a'.repeat(2000) }],
    ['pipeline_instruction of 2000 astral ones', { pipeline_instruction: '😀'.repeat(2000) }],
    ['an empty pipeline_instruction', { pipeline_instruction: '' }],
    ['pipeline_instruction null', { pipeline_instruction: null }],
    ['pipeline null', { pipeline: null }],
    ['model of the catalogue', { model: 'gpt-4.1' }],
    ['model null', { model: null }],
    ['drive null beside inline', { drive: null }],
    ['fresh', { fresh: true }],
  ])('may be %s', async (_, field) => {
    const answer = await call<JobRecord>(stage, 'POST', '/batch/jobs', chatJob('Hi', field));

    expect(answer).toMatchObject({ status: 202 });
  });

  it.each<[string, object, string, Refusal]>([
    ['priority misspelled', { piority: 5 }, 'piority', meant('priority')],
    [
      'a misspelled messages',
      { inline: { messages, mesages: [] } },
      'inline.mesages',
      meant('messages'),
    ],
    ['priority 0', { priority: 0 }, 'priority', least(1)],
    ['priority 101', { priority: 101 }, 'priority', most(100)],
    ['priority 1.5', { priority: 1.5 }, 'priority', fraction],
    ['priority as a string', { priority: '10' }, 'priority', integer],
    ['priority null', { priority: null }, 'priority', integer],
    ['priority true', { priority: true }, 'priority', integer],
    ['fresh as a string', { fresh: 'true' }, 'fresh', boolean],
    ['max_retries -1', { max_retries: -1 }, 'max_retries', least(0)],
    ['max_retries 11', { max_retries: 11 }, 'max_retries', most(10)],
    ['max_retries 0.5', { max_retries: 0.5 }, 'max_retries', fraction],
    ['max_retries null', { max_retries: null }, 'max_retries', integer],
    [
      'pipeline_instruction of 2001 characters',
      { pipeline_instruction: 'a'.repeat(2001) },
      'pipeline_instruction',
      tooLong,
    ],
    [
      'pipeline_instruction of 2001 astral ones',
      { pipeline_instruction: '😀'.repeat(2001) },
      'pipeline_instruction',
      tooLong,
    ],
    [
      'pipeline_instruction with half a surrogate pair',
      { pipeline_instruction: 'a\ud83d' },
      'pipeline_instruction',
      unicode,
    ],
    ['pipeline_instruction a number', { pipeline_instruction: 5 }, 'pipeline_instruction', string],
    ['job_type missing', { job_type: undefined }, 'job_type', missing],
    ['job_type unknown', { job_type: 'audio' }, 'job_type', literal("'chat', 'ocr' or 'auto'")],
    ['job_type null', { job_type: null }, 'job_type', literal("'chat', 'ocr' or 'auto'")],
    ['pipeline unknown', { pipeline: 'chat_then_ocr' }, 'pipeline', literal("'ocr_then_chat'")],
    ['pipeline empty', { pipeline: '' }, 'pipeline', literal("'ocr_then_chat'")],
    ['model a number', { model: 5 }, 'model', string],
    ['inline a list', { inline: messages }, 'inline', dictionary],
    ['inline a string', { inline: 'Hi' }, 'inline', dictionary],
    ['messages missing', { inline: {} }, 'inline.messages', missing],
    ['messages an object', { inline: { messages: {} } }, 'inline.messages', list],
    ['messages null', { inline: { messages: null } }, 'inline.messages', list],
    [
      'messages empty',
      { inline: { messages: [] } },
      'inline.messages',
      ['too_short', 'List should have at least 1 item after validation, not 0'],
    ],
    ['drive a list', { drive: [] }, 'drive', dictionary],
    ['drive a number', { drive: 5 }, 'drive', dictionary],
    ['file_id a number', { drive: { file_id: 5 } }, 'drive.file_id', string],
    ['folder_id a list', { drive: { folder_id: [] } }, 'drive.folder_id', string],
  ])('is refused as %s', async (_, field, path, refusal) => {
    const { status, body } = await post(chatJob('Hi', field));

    expect(status).toBe(422);
    expect(body).toEqual({ detail: [at(path, refusal)] });
  });

  it.each(['no-such-model', ''])(
    'is refused as the model %j, naming those there are',
    async (model) => {
      const { status, body } = await post(chatJob('Hi', { model }));

      expect(status).toBe(422);
      expect(body.detail).toEqual([
        {
          loc: ['body', 'model'],
          type: 'value_error',
          msg: expect.stringMatching(
            /^Value error, no such model, or not one that this API key may use; it may use .*gpt-5-mini/,
          ),
        },
      ]);
    },
  );

  it('is ignored where the contract names none', async () => {
    const inline = { messages, urgency: 'high' };

    const job = await submit(stage, { job_type: 'chat', inline, urgency: 5, user: { id: 1 } });

    expect(Object.keys(job)).toEqual(jobFields);
  });

  it('is reported with all the others that are wrong', async () => {
    const wrong = { job_type: 'audio', priority: 0, max_retries: 11, inline: { messages: [] } };

    const { status, body } = await call<{ detail: FieldError[] }>(
      stage,
      'POST',
      '/batch/jobs',
      wrong,
      { 'idempotency-key': '' },
    );

    expect(status).toBe(422);
    expect(body.detail.map(({ loc }) => loc.join('.')).sort()).toEqual([
      'body.inline.messages',
      'body.job_type',
      'body.max_retries',
      'body.priority',
      'header.idempotency-key',
    ]);
  });
});

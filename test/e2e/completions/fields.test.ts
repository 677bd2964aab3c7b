import { describe, expect, it } from 'vitest';
import { shared } from '../../support/run/shared.ts';
import { call } from '../../support/servers/api.ts';
import { question as messages } from '../../support/servers/event-reader.ts';

const stage = await shared('stage');

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string };
}

const sent = (body: unknown) => call<ErrorBody>(stage, 'POST', '/v1/chat/completions', body);

describe('400', () => {
  const model = 'gpt-4.1';

  it('for broken JSON, saying where and what is wrong', async () => {
    const { status, body } = await sent(`{"model": "${model}",\n "messages": [],}`);

    expect(status).toBe(400);
    expect(body.error).toEqual({
      message: 'JSON decode error at line 2, column 17: Expected double-quoted property name',
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_request_error',
    });
  });

  it.each<[string, object, string, string]>([
    ['no model', { messages }, 'model', 'model: Field required'],
    [
      'an empty model',
      { model: '', messages },
      'model',
      'model: String should have at least 1 character',
    ],
    [
      'a model that is no string',
      { model: 7, messages },
      'model',
      'model: Input should be a valid string',
    ],
    ['no messages', { model }, 'messages', 'messages: Field required'],
    [
      'a misspelled parameter',
      { model, messages, temprature: 1 },
      'temprature',
      'temprature: Unknown name; did you mean temperature?',
    ],
    [
      'an empty list of messages',
      { model, messages: [] },
      'messages',
      'messages: List should have at least 1 item after validation, not 0',
    ],
    [
      'messages that are no list',
      { model, messages: 'hi' },
      'messages',
      'messages: Input should be a valid list',
    ],
    [
      'a message without a role',
      { model, messages: [{ content: 'hi' }] },
      'messages.0.role',
      'messages.0.role: Field required',
    ],
    [
      'an unknown role',
      { model, messages: [{ role: 'robot', content: 'hi' }] },
      'messages.0.role',
      "messages.0.role: Input should be 'system', 'developer', 'user', 'assistant' or 'tool'",
    ],
    [
      'a message without content',
      { model, messages: [{ role: 'user' }] },
      'messages.0.content',
      'messages.0.content: Field required',
    ],
    [
      'a tool message without its call',
      { model, messages: [{ role: 'tool', content: 'x' }] },
      'messages.0.tool_call_id',
      'messages.0.tool_call_id: Field required',
    ],
    [
      'a stream that is no boolean',
      { model, messages, stream: 'yes' },
      'stream',
      'stream: Input should be a valid boolean',
    ],
    [
      'stream_options that are none',
      { model, messages, stream: true, stream_options: 7 },
      'stream_options',
      'stream_options: Input should be a valid dictionary or object to extract fields from',
    ],
    [
      'a temperature that is no number',
      { model, messages, temperature: '1' },
      'temperature',
      'temperature: Input should be a valid number',
    ],
    [
      'max_tokens of 0',
      { model, messages, max_tokens: 0 },
      'max_tokens',
      'max_tokens: Input should be greater than or equal to 1',
    ],
    [
      'max_tokens with a fraction',
      { model, messages, max_tokens: 1.5 },
      'max_tokens',
      'max_tokens: Input should be a valid integer, got a number with a fractional part',
    ],
    ['n of 0', { model, messages, n: 0 }, 'n', 'n: Input should be greater than or equal to 1'],
    ['n of 129', { model, messages, n: 129 }, 'n', 'n: Input should be less than or equal to 128'],
  ])('for %s', async (_, request, param, message) => {
    const { status, body } = await sent(request);

    expect(status).toBe(400);
    expect(body).toEqual({
      error: { message, type: 'invalid_request_error', param, code: 'invalid_request_error' },
    });
  });

  it('names the first of several faults, and tells all', async () => {
    const { body } = await sent({ temperature: 3, messages });

    expect(body.error.param).toBe('model');
    expect(body.error.message).toContain('model: Field required');
    expect(body.error.message).toContain('temperature: Input should be less than');
  });

  it.each([
    ['no JSON', '{"model": '],
    ['a list', '[]'],
    ['a string', '"hi"'],
    ['null', 'null'],
    ['nothing', ''],
  ])('for a body that is %s', async (_, text) => {
    const { status, body } = await sent(text);

    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      type: 'invalid_request_error',
      code: 'invalid_request_error',
    });
  });
});

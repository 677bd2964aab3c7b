import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../shared/http/errors.ts';
import type { Body } from '../../../../shared/models/dialects/dialect.ts';
import { responses } from '../../../../shared/models/dialects/responses/responses.ts';
import { jsonOf, readBy } from '../answers.ts';

const created = { type: 'response.created', response: { id: 'resp_1', model: 'm' } };
const added = (output_index = 0, item: Body = { type: 'message', id: 'msg_1', content: [] }) => ({
  type: 'response.output_item.added',
  ...{ output_index, item },
});
const delta = (text: string, output_index = 0) => ({
  type: 'response.output_text.delta',
  ...{ output_index, content_index: 0, delta: text },
});
const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'hi' }] };
const itemDone = (item: Body = message, output_index = 0) => ({
  type: 'response.output_item.done',
  ...{ output_index, item },
});
const completed = (output: Body[] = [message]) => ({
  type: 'response.completed',
  response: { status: 'completed', output, usage: { input_tokens: 3, output_tokens: 4 } },
});

const read = (...events: Body[]) => readBy(responses.reader(), events);
const textOf = (...events: Body[]) =>
  read(...events)
    .map((event) => (event.is === 'text' ? event.text : ''))
    .join('');

describe('a stream of a response is refused', () => {
  it.each<[string, string, Body[]]>([
    ['that doesn’t begin', 'did not begin with its first event', [added()]],
    ['that begins twice', 'began twice', [created, created]],
    [
      'that is of another dialect',
      'did not begin with its first event',
      [{ object: 'chat.completion.chunk', choices: [] }],
    ],
    ['that begins an item twice', 'began an item twice', [created, added(), added()]],
    [
      'that adds to an item which it has not begun',
      'went on with an item that it had not begun',
      [created, delta('a')],
    ],
    [
      'that adds to an item which it has ended',
      'went on with an item that it had ended',
      [created, added(), itemDone(), delta('a')],
    ],
    [
      'that ends an item twice',
      'went on with an item that it had ended',
      [created, added(), itemDone(), itemDone()],
    ],
    ['that goes on after its end', 'went on after its end', [created, completed(), added()]],
    ['that ends twice', 'went on after its end', [created, completed(), completed()]],
  ])('%s', (_, words, events) => {
    expect(() => read(...events)).toThrow(
      expect.objectContaining({
        ...{ code: 'model_unavailable', message: `The model's answer ${words}.` },
      }),
    );
  });

  it.each<[string, Body[]]>([
    ['whose text is none', [created, added(), { ...delta(''), delta: { text: 'a' } }]],
    ['with a part beyond all', [created, added(), { ...delta('a'), content_index: 1e9 }]],
    [
      'with the first part beyond all',
      [created, added(), { ...delta('a'), content_index: 10_000 }],
    ],
    ['with a part before the first', [created, added(), { ...delta('a'), content_index: -1 }]],
  ])('%s', (_, events) => {
    expect(() => read(...events)).toThrow(
      expect.objectContaining({
        ...{ code: 'model_unavailable', message: 'The model sent a broken chunk.' },
      }),
    );
  });

  it('but not for events that are not known, nor for what keeps a connection open', () => {
    const others = [{ type: 'keepalive' }, { type: 'response.web_search_call.searching' }];

    expect(textOf(created, ...others, added(), delta('hi'), itemDone(), completed())).toBe('hi');
    expect(() => read(created, completed(), { type: 'keepalive' })).not.toThrow();
  });
});

describe('what was not sent piece by piece', () => {
  it('is read where its item ends', () => {
    expect(textOf(created, added(), delta('h'), itemDone(), completed())).toBe('hi');
  });

  it('is read where the response ends', () => {
    expect(textOf(created, completed())).toBe('hi');
  });

  it('is read of a call, too', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' };

    expect(read(created, completed([call]))).toContainEqual({
      ...{ is: 'toolInput', index: 0, text: '{"a":1}' },
    });
  });
});

describe('a stream that is cut', () => {
  it('gets the ends of what is open, and of the response, with what came and its usage', () => {
    const reader = responses.reader();
    const begun = { type: 'response.created', sequence_number: 7, response: created.response };
    readBy(reader, [begun, added(), delta('a'), delta('b')]);

    const last = jsonOf(reader.cut({ promptTokens: 5, outputTokens: 6 }));

    expect(last.map(({ type }) => type)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.incomplete',
    ]);
    expect(last.map((each) => each['sequence_number'])).toEqual([11, 12, 13, 14]);
    expect(last.at(-1)?.['response']).toMatchObject({
      ...{ id: 'resp_1', status: 'incomplete' },
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ id: 'msg_1', status: 'incomplete', content: [{ text: 'ab' }] }],
      usage: { input_tokens: 5, output_tokens: 6, total_tokens: 11 },
    });
    expect(reader.isOver).toBe(true);
  });

  it('can be read again', () => {
    const events = [created, added(), delta('a'), delta('b')];
    const reader = responses.reader();
    readBy(reader, events);

    const last = jsonOf(reader.cut({ promptTokens: 5, outputTokens: 6 }));

    expect(read(...events, ...last).at(-1)).toEqual({ is: 'end', reason: 'length' });
  });
});

describe('a stream that fails', () => {
  const failing = (code: string, rest: object = {}) =>
    new ServiceError(503, code, 'It broke.', rest);

  it('ends with response.failed and what came, without an end of its items', () => {
    const reader = responses.reader();
    readBy(reader, [created, added(), delta('a')]);

    const [failed, ...others] = jsonOf(reader.fail(failing('model_unavailable')));

    expect(others).toEqual([]);
    expect(failed).toMatchObject({
      ...{ type: 'response.failed', sequence_number: 3 },
      response: {
        ...{ id: 'resp_1', status: 'failed' },
        error: { code: 'server_error', message: 'It broke.' },
        output: [{ content: [{ text: 'a' }] }],
      },
    });
  });

  it('begins first, if it has not', () => {
    const events = jsonOf(responses.reader().fail(failing('model_unavailable')));

    expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.failed']);
    expect(events.map((each) => each['sequence_number'])).toEqual([0, 1]);
  });

  it.each([
    ['context_length_exceeded', 'context_length_exceeded', 'It broke.'],
    ['budget_exceeded', 'insufficient_quota', 'It broke.'],
    ['rate_limit_exceeded', 'rate_limit_exceeded', 'It broke. Please try again in 9s.'],
    ['model_unavailable', 'server_error', 'It broke.'],
  ])('says of %s: %s', (code, told, message) => {
    const events = jsonOf(responses.reader().fail(failing(code, { retryAfterSeconds: 9 })));

    expect(events.at(-1)?.['response']).toMatchObject({ error: { code: told, message } });
  });

  it.each([
    { type: 'error', code: 'context_length_exceeded', message: 'too long' },
    { type: 'error', error: { code: 'context_length_exceeded', message: 'too long' } },
    {
      type: 'response.failed',
      response: { error: { code: 'context_length_exceeded', message: 'too long' } },
    },
  ])('keeps its provider’s code, and takes its number: $type', (event) => {
    const reader = responses.reader();
    const read = readBy(reader, [created, { ...event, sequence_number: 1 }]);

    const [failed] = jsonOf(reader.fail(failing('model_unavailable')));

    expect(read.at(-1)).toMatchObject({ is: 'error', message: 'too long' });
    expect(failed).toMatchObject({
      sequence_number: 1,
      response: { error: { code: 'context_length_exceeded' } },
    });
  });

  it.each([
    ...['insufficient_quota', 'invalid_prompt', 'server_is_overloaded', 'usage_not_included'],
    ...['rate_limit_exceeded', 'slow_down'],
  ])('says %s as its provider said it, by which Codex knows whether to try again', (code) => {
    const reader = responses.reader();
    const response = { status: 'failed', error: { code, message: 'No.' } };
    readBy(reader, [created, added(), delta('a'), { type: 'response.failed', response }]);

    const [failed] = jsonOf(reader.fail(failing('model_unavailable')));

    expect(failed?.['response']).toMatchObject({ status: 'failed', error: { code } });
  });

  it('says nothing after its end', () => {
    const reader = responses.reader();
    readBy(reader, [created, completed()]);

    expect(reader.fail(failing('model_unavailable'))).toBe('');
  });
});

describe('a response that isn’t streamed', () => {
  it('has no end as long as it is under way, but what came', () => {
    const events = responses.readAnswer({ status: 'in_progress', output: [message] });

    expect(events).toEqual([{ is: 'start' }, { is: 'text', text: 'hi' }]);
  });

  it('may be an error', () => {
    expect(responses.readAnswer({ error: { message: 'no', code: 'x' } })).toEqual([
      { is: 'error', message: 'no', code: 'x' },
    ]);
    expect(
      responses.readAnswer({ status: 'failed', error: { message: 'no' }, output: [] }).at(-1),
    ).toEqual({ is: 'error', message: 'no' });
  });
});
